// Changes files as disks, mail programs and people do. The same seed makes the same changes.

const injected = ['"', "'", '""', "\n", "\r", "\r\n", ";", ",", "\t", "\0", "\\", "\x80", "\xff", "{", "]", "ä"]

/**
 * Makes one to three changes: a flipped byte, a cut at the end, or an insertion, removal or repetition. @param binary
 * whether half of the files get only a flipped bit. If bytes have fixed places, other changes are detected too easily.
 */
export const mutate = (bytes: Buffer, next: () => number, binary = false): Buffer => {
  if (binary && next() < 0.5) {
    const flipped = Buffer.from(bytes)
    flipped[Math.floor(next() * bytes.length)]! ^= 1 << Math.floor(next() * 8)
    return flipped
  }
  let changed = Buffer.from(bytes)
  for (let changes = 1 + Math.floor(next() * 3); changes > 0; changes--) {
    const at = Math.floor(next() * changed.length)
    const to = Math.min(changed.length, at + 1 + Math.floor(next() * 12))
    switch (Math.floor(next() * 6)) {
      case 0:
        if (changed.length > 0) changed[at]! ^= 1 << Math.floor(next() * 8)
        break
      case 1:
        changed = changed.subarray(0, at)
        break
      case 2:
      case 3: {
        const put = Buffer.from(injected[Math.floor(next() * injected.length)] ?? "", "latin1")
        changed = Buffer.concat([changed.subarray(0, at), put, changed.subarray(at)])
        break
      }
      case 4:
        changed = Buffer.concat([changed.subarray(0, at), changed.subarray(to)])
        break
      case 5:
        changed = Buffer.concat([changed.subarray(0, to), changed.subarray(at)])
    }
  }
  return changed
}
