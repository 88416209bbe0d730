// What src uses of validator, for the bundle: its index runs all of its hundred checks at every start.
import isEmail from "validator/lib/isEmail.js"
import isURL from "validator/lib/isURL.js"

export default { isEmail, isURL }
