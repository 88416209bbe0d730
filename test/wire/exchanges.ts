/**
 * Literal exchanges, written manually from the interface's description and from observed services. None is produced by
 * formferry's code. Texts are exactly the bytes on the wire. The payment processor is called `acme`.
 */

export const formPath = "/v1/api/forms/vso9PzRfHQus"

export const formsPath = "/v1/api/forms"

/** The answer to a request for all forms. */
export const formsBody =
  `[{ "name": "Customer contacts", "formId": "vso9PzRfHQus" }, { "name": "Bookings", "formId": "sib1" }]`

/** A request for the second page of a form's submissions, oldest first. */
export const listPath =
  `${formPath}/submissions?limit=1&offset=1&sort=asc&status=finished&includeEditLink=false&includePreview=false&afterDate=2019-12-31T23%3A59%3A59.999Z&beforeDate=2999-01-01T00%3A00%3A00Z`

/** "Form metadata", with members that the specification does not mention. */
export const metadataBody = `{
  "id": "vso9PzRfHQus",
  "name": "Customer contacts",
  "questions": [
    { "id": "4KC3", "name": "Full name", "type": "ShortAnswer" },
    { "id": "aB9dE2fGh1", "name": "Born", "type": "DatePicker" },
    { "id": "plan1", "name": "Plan", "type": "Dropdown",
      "options": [{ "id": "basic", "value": "basic", "label": "Basic plan" }, { "id": "pro", "value": "pro", "label": "Pro plan" }] },
    { "id": "news", "name": "Interests", "type": "Checkboxes",
      "options": [{ "id": "a", "value": "a", "label": "A" }, { "id": "b", "value": "b", "label": "B" }] },
    { "id": "num1", "name": "Staff", "type": "NumberInput" },
    { "id": "yes1", "name": "Agreed", "type": "Switch" },
    { "id": "addr", "name": "Address", "type": "Address" },
    { "id": "file", "name": "Contract", "type": "FileUpload" },
    { "id": "new1", "name": "Something new", "type": "HologramPicker" },
    { "id": "note", "name": "Note" }
  ],
  "calculations": [{ "id": "cal1", "name": "Total" }],
  "urlParameters": [{ "id": "legacy_id", "name": "legacy_id" }, { "id": "source", "name": "source" }],
  "scheduling": [{ "id": "sch1", "name": "Booking" }],
  "payments": [{ "id": "pay1", "name": "Fee" }],
  "quiz": { "enabled": true },
  "documents": [{ "id": "doc1", "name": "Offer" }],
  "tags": ["crm"]
}`

/** The request body of "Create submissions". */
export const createBody = `{
  "submissions": [
    {
      "questions": [
        { "id": "4KC3", "value": "Ada Lovelace" },
        { "id": "aB9dE2fGh1", "value": "1815-12-10" },
        { "id": "plan1", "value": "pro" },
        { "id": "news", "value": ["a", "b"] },
        { "id": "num1", "value": 12.5 },
        { "id": "yes1", "value": true },
        { "id": "addr", "value": { "address": "1 Main St", "city": "London", "zipCode": "N1" } },
        { "id": "file", "value": [{ "url": "https://example.org/c.pdf", "filename": "c.pdf" }] },
        { "id": "note", "value": "Zeile 1\\nZeile 2 – äöü 😀" }
      ],
      "urlParameters": [{ "id": "legacy_id", "name": "legacy_id", "value": "007" }],
      "submissionTime": "2020-02-03T02:05:06.000Z",
      "lastUpdatedAt": "2021-01-01T00:00:00.000Z",
      "scheduling": [
        { "id": "sch1", "value": {
          "fullName": "Ada Lovelace", "email": "ada@example.org", "timezone": "Europe/London",
          "eventStartTime": "2020-03-01T10:00:00.000Z", "eventEndTime": "2020-03-01T10:30:00.000Z",
          "eventId": "ev1", "eventUrl": "https://example.org/ev1", "rescheduleOrCancelUrl": "https://example.org/ev1/c",
          "userId": 7, "scheduledUserEmail": "bob@example.org", "meetingNotes": "none" } }
      ],
      "payments": [
        { "id": "pay1", "value": {
          "paymentId": "pi_1", "totalAmount": 99.9, "currency": "EUR", "email": "ada@example.org", "status": "succeeded",
          "acmeCustomerId": "cus_1", "acmeCustomerUrl": "https://acme.example/cus_1", "acmePaymentUrl": "https://acme.example/pi_1",
          "acmeSubscriptionId": "sub_1" } }
      ],
      "login": { "email": "ada@example.org" }
    },
    { "questions": [{ "id": "4KC3", "value": "Charles Babbage" }] }
  ]
}`

/** The submission created from the first item, as the service returns it. */
export const fullSubmission = `{
  "submissionId": "5f1c7f36-6f6b-4b9c-8c7e-3f0e6c1f2a11",
  "submissionTime": "2020-02-03T02:05:06.000Z",
  "lastUpdatedAt": "2021-01-01T00:00:00.000Z",
  "questions": [
    { "id": "4KC3", "name": "Full name", "type": "ShortAnswer", "value": "Ada Lovelace" },
    { "id": "aB9dE2fGh1", "name": "Born", "type": "DatePicker", "value": "1815-12-10" },
    { "id": "plan1", "name": "Plan", "type": "Dropdown", "value": "pro" },
    { "id": "news", "name": "Interests", "type": "Checkboxes", "value": ["a", "b"] },
    { "id": "num1", "name": "Staff", "type": "NumberInput", "value": 12.5 },
    { "id": "yes1", "name": "Agreed", "type": "Switch", "value": true },
    { "id": "addr", "name": "Address", "type": "Address", "value": { "address": "1 Main St", "city": "London", "zipCode": "N1" } },
    { "id": "file", "name": "Contract", "type": "FileUpload", "value": [{ "url": "https://example.org/c.pdf", "filename": "c.pdf" }] },
    { "id": "new1", "name": "Something new", "type": "HologramPicker", "value": null },
    { "id": "note", "name": "Note", "value": "Zeile 1\\nZeile 2 – äöü 😀" }
  ],
  "calculations": [{ "id": "cal1", "name": "Total", "type": "number", "value": "112.4" }],
  "urlParameters": [
    { "id": "legacy_id", "name": "legacy_id", "value": "007" },
    { "id": "source", "name": "source", "value": null }
  ],
  "scheduling": [
    { "id": "sch1", "name": "Booking", "value": {
      "fullName": "Ada Lovelace", "email": "ada@example.org", "timezone": "Europe/London",
      "eventStartTime": "2020-03-01T10:00:00.000Z", "eventEndTime": "2020-03-01T10:30:00.000Z",
      "eventId": "ev1", "eventUrl": "https://example.org/ev1", "rescheduleOrCancelUrl": "https://example.org/ev1/c",
      "userId": 7, "scheduledUserEmail": "bob@example.org", "meetingNotes": "none" } }
  ],
  "payments": [
    { "id": "pay1", "name": "Fee", "value": {
      "paymentId": "pi_1", "totalAmount": 99.9, "currency": "EUR", "email": "ada@example.org", "status": "succeeded",
      "acmeCustomerId": "cus_1", "acmeCustomerUrl": "https://acme.example/cus_1", "acmePaymentUrl": "https://acme.example/pi_1",
      "acmeSubscriptionId": "sub_1", "discountCode": "SPRING", "brandNewMember": 1 } }
  ],
  "quiz": { "score": 3, "maxScore": 5 },
  "login": { "email": "ada@example.org" },
  "documents": []
}`

/** The submission created from the second item. Every value that was not sent is null, empty or absent. */
export const sparseSubmission = `{
  "submissionId": "9a0b",
  "submissionTime": "2024-05-06T07:08:09.123Z",
  "lastUpdatedAt": "2024-05-06T07:08:09.123Z",
  "questions": [
    { "id": "4KC3", "name": "Full name", "type": "ShortAnswer", "value": "Charles Babbage" },
    { "id": "num1", "name": "Staff", "type": "NumberInput", "value": null }
  ],
  "calculations": [{ "id": "cal1", "name": "Total", "type": "number", "value": null }],
  "urlParameters": [],
  "scheduling": [{ "id": "sch1", "name": "Booking", "value": null }],
  "payments": [{ "id": "pay1", "name": "Fee", "value": null }],
  "quiz": {}
}`

/** A form's metadata as a service with more operations describes it: tags, documents, approvals, ids of options and types of calculations. */
export const siblingMetadata = `{
  "id": "sib1",
  "name": "Bookings",
  "tags": ["form", "scheduling"],
  "questions": [
    { "id": "s1", "name": "Plan", "type": "Dropdown",
      "options": [{ "id": "4f0c", "value": "Basic", "label": "Basic plan" }, { "id": "77aa", "value": "Pro", "label": "Pro plan" }] }
  ],
  "calculations": [
    { "id": "c1", "name": "Summary", "type": "text" },
    { "id": "c2", "name": "Total", "type": "number" },
    { "id": "c3", "name": "Length", "type": "duration" }
  ],
  "urlParameters": [{ "id": "ref", "name": "ref" }],
  "documents": [{ "id": "d1", "name": "Offer" }],
  "scheduling": [{ "id": "b1", "name": "Visit" }],
  "payments": [],
  "approvals": [{ "workflowId": "w1", "nodeId": "n1", "approvers": [{ "userId": 3 }], "states": [], "inputFields": [] }]
}`

/** A submission of that form, with a start time, documents, approvals, a phone number in the booking and a number as a calculation's value. */
export const siblingSubmission = `{
  "submissionId": "5b2d",
  "submissionTime": "2026-01-31T08:00:00.000Z",
  "lastUpdatedAt": "2026-01-31T08:00:00.000Z",
  "startedAt": "2026-01-31T07:58:11.000Z",
  "questions": [{ "id": "s1", "name": "Plan", "type": "Dropdown", "value": "Pro" }],
  "calculations": [
    { "id": "c1", "name": "Summary", "type": "text", "value": "Pro, 1 h" },
    { "id": "c2", "name": "Total", "type": "number", "value": 12.5 },
    { "id": "c3", "name": "Length", "type": "duration", "value": null }
  ],
  "urlParameters": [{ "id": "ref", "name": "ref", "value": null }],
  "quiz": {},
  "documents": [{ "id": "d1", "name": "Offer", "url": "https://documents.example/d1.pdf" }],
  "scheduling": [{ "id": "b1", "name": "Visit", "value": {
    "fullName": "Ada Lovelace", "email": "ada@example.org", "phone": "+44 20 7946 0000", "timezone": "Europe/London",
    "eventStartTime": "2026-02-01T10:00:00.000Z", "eventEndTime": "2026-02-01T11:00:00.000Z",
    "eventId": "ev2", "eventUrl": "https://calendar.example/ev2" } }],
  "payments": [],
  "approvals": [{ "workflowId": "w1", "workflowRunId": "r1", "nodeId": "n1", "decisions": [], "finalStateId": null }]
}`

/** A create request for that form, with a phone number in the booking. */
export const siblingRequest =
  `{"submissions":[{"questions":[{"id":"s1","value":"Pro"}],"scheduling":[{"id":"b1","value":{
  "fullName": "Ada Lovelace", "email": "ada@example.org", "phone": "+44 20 7946 0000", "timezone": "Europe/London",
  "eventStartTime": "2026-02-01T10:00:00.000Z", "eventEndTime": "2026-02-01T11:00:00.000Z" }}]}]}`

/** Every type of question that a service names. */
export const questionTypes =
  "Address AudioRecording Calcom Calendly Captcha Checkbox Checkboxes ColorPicker CurrencyInput DatePicker DateRange DateTimePicker Dropdown Email EmailInput FileUpload ImagePicker LocationCoordinates LongAnswer Matrix MultiSelect MultipleChoice NumberInput OpinionScale Password Payment PhoneNumber Ranking RecordPicker ShortAnswer Signature Slider StarRating Subform SubmissionPicker Switch Table TimePicker URLInput"
    .split(" ")

/** Observed credential failures: answers with status 400 that differ only in their message. */
export const credentialMessages = [
  "API authorization header missing",
  "API key missing underscore",
  "Incorrectly formatted API key was passed",
  "API Key invalid",
]

export const credentialBody = (message: string): string =>
  `{"statusCode": 400, "error": "Bad Request", "message": "${message}"}`

/** The answer to a malformed create request. Its `message` is a string that contains a JSON array. */
export const invalidBody =
  `{"statusCode":400,"error":"Bad Request","message":"[{\\"code\\":\\"invalid_type\\",\\"expected\\":\\"string\\",\\"received\\":\\"number\\",\\"path\\":[\\"submissions\\",1,\\"urlParameters\\",0,\\"value\\"],\\"message\\":\\"Expected string, received number\\"}]"}`

/** The request for this answer. Its second item has a number instead of a string. */
export const invalidRequest =
  `{"submissions":[{"questions":[]},{"questions":[],"urlParameters":[{"id":"legacy_id","name":"legacy_id","value":7}]}]}`

export const throttledHeaders = [
  "ratelimit-limit: 5",
  "ratelimit-policy: 5;w=1",
  "ratelimit-remaining: 0",
  "ratelimit-reset: 1",
  "retry-after: 1",
]

export const throttledBody =
  `{"statusCode":429,"error":"Too Many Requests","message":"Too many requests. Try again soon."}`
