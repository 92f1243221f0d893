/** As an index of a dissection is written and read. */
export const historyOptions = {
  node: 'node-1',
  captureSource: 'file',
  maxBytes: 0,
  memory: 512 * 1024 * 1024,
}
