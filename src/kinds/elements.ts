import type { PaymentValue, SchedulingValue } from "../domain/item.ts"

/** A field of a scheduling or payment value. */
export interface ElementPart {
  readonly kind: string
  /** Whether the interface requires it. */
  readonly required: boolean
  /** The fixed options of the kind. */
  readonly options: object
}

const part = (kind: string, required = false, options: object = {}): ElementPart => ({ kind, required, options })

/** The fields of a scheduling value (service interface, "Scheduling answer"). */
export const schedulingParts: Readonly<Record<keyof SchedulingValue, ElementPart>> = {
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

/** The fields of a payment value (service interface, "Payment answer"). The service returns `discountCode`, but does not accept it. */
export const paymentParts: Readonly<Record<Exclude<keyof PaymentValue, "discountCode">, ElementPart>> = {
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
