/** A part of a scheduling or payment value. */
export interface ElementPart {
  readonly kind: string
  /** Whether the interface requires it. */
  readonly required: boolean
  /** The fixed options of the kind. */
  readonly options: object
}

const part = (kind: string, required = false, options: object = {}): ElementPart => ({ kind, required, options })

/** The parts of a scheduling value (service interface, "Scheduling answer"). Times are ISO 8601 instants in UTC. */
export const schedulingParts: Readonly<Record<string, ElementPart>> = {
  fullName: part("text", true),
  email: part("email", true),
  timezone: part("text", true),
  eventStartTime: part("dateTime", true),
  eventEndTime: part("dateTime", true),
  eventId: part("text"),
  eventUrl: part("url"),
  rescheduleOrCancelUrl: part("url"),
  userId: part("number", false, { integer: true }),
  scheduledUserEmail: part("email"),
  meetingNotes: part("text"),
}

/**
 * The parts of a payment value (service interface, "Payment answer"). In requests and responses, the processor's name replaces `gateway`. The service
 * returns `discountCode`, but does not accept it.
 */
export const paymentParts: Readonly<Record<string, ElementPart>> = {
  paymentId: part("text", true),
  gatewayCustomerId: part("text"),
  gatewayCustomerUrl: part("url"),
  gatewayPaymentUrl: part("url"),
  totalAmount: part("number"),
  currency: part("text"),
  email: part("email"),
  status: part("text"),
  gatewaySubscriptionId: part("text"),
}
