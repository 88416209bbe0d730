import { expect, it } from "@effect/vitest"
import { canonicalAddress } from "../../src/domain/destination.ts"

const address = "https://forms.example.com/v1/api"

it.each([
  "HTTPS://Forms.EXAMPLE.com/v1/api",
  "https://forms.example.com./v1/api",
  "https://forms.example.com:443/v1/api",
  "https://forms.example.com/./old/../v1//api///",
  "https://forms.example.com/%76%31/%61pi",
  "https:\\\\forms.example.com\\v1\\api",
])("canonicalAddress writes %s in the same form as other addresses of the service", (text) => {
  expect(canonicalAddress(text)).toBe(address)
})

it.each(["http://0x7f.1:8080", "http://2130706433:8080/", "http://127.1:8080", "http://[::FFFF:127.0.0.1]:8080"])(
  "canonicalAddress writes the IPv4 address of %s as four numbers",
  (text) => {
    expect(canonicalAddress(text)).toBe("http://127.0.0.1:8080")
  },
)

it("canonicalAddress writes IPv6 addresses and non-ASCII names in one form", () => {
  expect(canonicalAddress("http://[0:0:0:0:0:0:0:1]/a")).toBe("http://[::1]/a")
  expect(canonicalAddress("https://BÜRO.example/%c3%a4")).toBe(canonicalAddress("https://xn--bro-hoa.example/ä"))
})

it.each([
  "http://forms.example.com/v1/api",
  "https://forms.example.com:8443/v1/api",
  "https://forms.example.com/V1/api",
  "https://forms.example.com/v1%2Fapi",
  "https://forms.example.org/v1/api",
])("canonicalAddress treats %s as a different service", (text) => {
  expect(canonicalAddress(text)).not.toBe(address)
  expect(canonicalAddress(canonicalAddress(text))).toBe(canonicalAddress(text))
})
