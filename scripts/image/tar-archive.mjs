/** Size of a tar block; entries and their contents are padded to it. */
const BLOCK = 512
/** The longest name that fits the ustar header without a prefix. Longer names get a pax header. */
const MAX_NAME = 100

/**
 * A tar archive whose bytes depend on its entries alone: no time of change, no owner of the building machine, entries in the
 * order of their names.
 *
 * @param {readonly {path: string, mode: number, content?: Buffer, link?: string, owner?: number}[]} entries
 *   A path that ends with `/` is a folder; `link` makes a symbolic link.
 * @returns {Buffer}
 */
export function tarArchive(entries) {
  const blocks = []
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  for (const entry of sorted) {
    if (needsPax(entry)) blocks.push(...paxHeader(entry))
    const content = entry.content ?? Buffer.alloc(0)
    blocks.push(header(entry, content.length, typeOf(entry)), content, padding(content.length))
  }
  blocks.push(Buffer.alloc(2 * BLOCK))
  return Buffer.concat(blocks)
}

function typeOf({ path, link }) {
  if (link !== undefined) return '2'
  return path.endsWith('/') ? '5' : '0'
}

function needsPax({ path, link = '' }) {
  return Buffer.byteLength(path) > MAX_NAME || Buffer.byteLength(link) > MAX_NAME
}

function paxHeader({ path, link }) {
  const records = [paxRecord('path', path), ...(link === undefined ? [] : [paxRecord('linkpath', link)])]
  const content = Buffer.from(records.join(''))
  return [header({ path: 'pax', mode: 0o644 }, content.length, 'x'), content, padding(content.length)]
}

/** `LENGTH key=value\n`, where LENGTH counts its own digits. */
function paxRecord(key, value) {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest
  while (length !== rest + String(length).length) length = rest + String(length).length
  return `${length} ${key}=${value}\n`
}

function header({ path, mode, link = '', owner = 0 }, size, type) {
  const block = Buffer.alloc(BLOCK)
  block.write(path.slice(0, MAX_NAME), 0)
  octal(block, 100, 8, mode)
  octal(block, 108, 8, owner)
  octal(block, 116, 8, owner)
  octal(block, 124, 12, size)
  octal(block, 136, 12, 0)
  block.write('        ', 148)
  block.write(type, 156)
  block.write(link.slice(0, MAX_NAME), 157)
  block.write('ustar\x0000', 257)
  octal(
    block,
    148,
    7,
    block.reduce((sum, byte) => sum + byte, 0),
  )
  return block
}

function octal(block, at, length, value) {
  block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at)
}

function padding(size) {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
}
