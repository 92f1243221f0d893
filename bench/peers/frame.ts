const ETHERNET = 14
const IP = 20

/** The one buffer in which frames are put together. */
export const frame = Buffer.alloc(70_000)
frame.set([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45])
frame[ETHERNET + 6] = 0x40
frame[ETHERNET + 8] = 64

/** Where the transport header begins. */
export const TRANSPORT = ETHERNET + IP

/** Fills in the network header and ports; returns the length of the frame. */
export function address(
  protocol: number,
  source: number,
  sourcePort: number,
  destination: number,
  destinationPort: number,
  size: number,
): number {
  frame.writeUInt16BE(IP + size, ETHERNET + 2)
  frame[ETHERNET + 9] = protocol
  frame.writeUInt32BE(source, ETHERNET + 12)
  frame.writeUInt32BE(destination, ETHERNET + 16)
  frame.writeUInt16BE(0, ETHERNET + 10)
  let sum = 0
  for (let at = ETHERNET; at < TRANSPORT; at += 2) sum += frame.readUInt16BE(at)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16)
  frame.writeUInt16BE(~sum & 0xffff, ETHERNET + 10)
  frame.writeUInt16BE(sourcePort, TRANSPORT)
  frame.writeUInt16BE(destinationPort, TRANSPORT + 2)
  return TRANSPORT + size
}
