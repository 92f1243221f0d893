import { Malformed } from '@tapdeck/wire'
import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { LineWriter } from '../../contract/line-writer.ts'
import type { Message } from '../../contract/message.ts'
import type { JsonBytes } from '../../json/json-bytes.ts'
import { type JsonFragment, jsonFragment, NumberedFragments } from '../../json/json-fragment.ts'
import { HEADER } from './frame.ts'
import { FLAGS, readEdns } from './message.ts'
import { readName, skipName } from './name.ts'
import { className, opcodeName, TYPE, typeName } from './names.ts'
import { readData } from './rdata.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const DOT = 0x2e
const CLOSE = 0x7d
const LIST_END = 0x5d
const METHOD = jsonFragment(',"request":{"method":')
const PATH = jsonFragment(',"path":')
const FLAGS_KEY = jsonFragment(',"flags":')
const TRUNCATED = jsonFragment(',"truncated":true')
const STATUS = jsonFragment(',"response":{"status":')
const ID = jsonFragment(',"dns":{"id":')
const RCODE = jsonFragment(',"rcode":')
const QUESTIONS = jsonFragment(',"questions":[{"name":')
const TYPE_KEY = jsonFragment(',"type":')
const ANSWERS = jsonFragment('}],"answers":[')
const AUTHORITIES = jsonFragment('],"authorities":[')
const ADDITIONALS = jsonFragment('],"additionals":[')
const EDNS = jsonFragment(',"edns":')
const NAMES = jsonFragment(',"question_names":[')
const TYPES = jsonFragment('],"question_types":[')
const DATA = jsonFragment('],"answer_data":[')
const LENGTHS = jsonFragment('],"request":true,"response":true,"request_length":')
const RESPONSE_LENGTH = jsonFragment(',"response_length":')
const TOTAL_SIZE = jsonFragment(',"total_size":')
const NAME = jsonFragment('{"name":')
const TTL = jsonFragment(',"ttl":')
const DATA_KEY = jsonFragment(',"data":')
const FLAG_BITS = 0x07b0
/** Answers whose data is written again from where it stands. */
const MAX_ANSWERS = 64

/** By their bits, lists of flags as JSON. */
const flagLists = new NumberedFragments((bits) =>
  JSON.stringify(FLAGS.filter(([bit]) => bits & bit).map(([, name]) => name)),
)
const opcodes = new NumberedFragments((code) => `,"opcode":${JSON.stringify(opcodeName(code))}`)
const classes = new NumberedFragments((code) => `,"class":${JSON.stringify(className(code))}`)
const types = new NumberedFragments((code) => `,"type":${JSON.stringify(typeName(code))}`)
const data = new Int32Array(MAX_ANSWERS * 2)
/** Class and time to live of the option that came last, and what it says. */
const PLAIN_EDNS = 6
const lastEdns = new Int16Array(PLAIN_EDNS).fill(-1)
let lastEdnsPhrase = EDNS
let records: RecordWriter | undefined

/** What `present` shows of one question and one whole answer to it, out of their bytes. */
export function write(exchange: Exchange, summary: Summary, line: LineWriter): boolean {
  try {
    return writeWhole(exchange, summary, line)
  } catch (error) {
    if (error instanceof Malformed) return false
    throw error
  }
}

function writeWhole({ request, response }: Exchange, summary: Summary, line: LineWriter): boolean {
  const { method, path, status } = summary
  const asked = request?.head
  const told = response?.head
  if (asked === undefined || told === undefined || request?.kind !== 'request') return false
  if (request.body !== undefined || response?.body !== undefined) return false
  if (method === undefined || path === undefined || typeof status !== 'string') return false
  if (!isOneQuestion(asked) || !isOneQuestion(told) || asked[2] >= 0x80 || told[2] < 0x80) return false
  const answers = (told[6] << 8) | told[7]
  const end = skipName(asked, HEADER, asked.length) + 4
  if (answers > MAX_ANSWERS || !isSame(asked, told, end) || !hasOnlyOption(asked, end)) return false
  const { out } = line
  out.fragment(METHOD)
  const type = line.method
  const typeEnd = line.methodEnd
  out.again(type, typeEnd)
  out.fragment(PATH)
  const name = line.path
  const nameEnd = line.pathEnd
  out.again(name, nameEnd)
  writeFlags(asked, request, out)
  out.fragment(STATUS)
  out.again(line.status, line.statusEnd)
  writeFlags(told, response, out)
  out.fragment(ID)
  out.number((told[0] << 8) | told[1])
  out.fragment(opcodes.get((told[2] >> 3) & 15))
  out.fragment(FLAGS_KEY)
  out.fragment(flagList(told))
  out.fragment(RCODE)
  out.again(line.status, line.statusEnd)
  out.fragment(QUESTIONS)
  out.again(name, nameEnd)
  out.fragment(TYPE_KEY)
  out.again(type, typeEnd)
  out.fragment(classes.get(((asked[end - 2] << 8) | asked[end - 1]) & 0x7fff))
  out.fragment(ANSWERS)
  records ??= new RecordWriter(out)
  records.begin(told, name, nameEnd, out)
  let at = records.section(end, answers, data)
  if (at > 0) {
    out.fragment(AUTHORITIES)
    at = records.section(at, (told[8] << 8) | told[9], undefined)
  }
  if (at > 0) {
    out.fragment(ADDITIONALS)
    at = records.additionals(at)
  }
  if (at <= 0) return false
  out.fragment(NAMES)
  out.again(name, nameEnd)
  out.fragment(TYPES)
  out.again(type, typeEnd)
  out.fragment(DATA)
  for (let i = 0; i < answers; i++) {
    if (i > 0) out.byte(COMMA)
    out.again(data[i * 2], data[i * 2 + 1])
  }
  writeLengths(lengthOf(request, asked), lengthOf(response, told), out)
  out.byte(CLOSE)
  return true
}

function writeLengths(request: number, response: number, out: JsonBytes): void {
  out.fragment(LENGTHS)
  out.number(request)
  out.fragment(RESPONSE_LENGTH)
  out.number(response)
  out.fragment(TOTAL_SIZE)
  out.number(request + response)
}

function writeFlags(head: Uint8Array, message: Message | undefined, out: JsonBytes): void {
  out.fragment(FLAGS_KEY)
  out.fragment(flagList(head))
  if (message?.truncated) out.fragment(TRUNCATED)
  out.byte(CLOSE)
}

/** Writes the records of a response. One instance is reused: a response is written for each call. */
class RecordWriter {
  #head: Uint8Array = new Uint8Array(0)
  #out: JsonBytes
  /** Where the output has the name of the question, which most records repeat. */
  #name = 0
  #nameEnd = 0
  /** Where the data of the last record begins in the output. */
  #dataStart = 0

  constructor(out: JsonBytes) {
    this.#out = out
  }

  begin(head: Uint8Array, name: number, nameEnd: number, out: JsonBytes): void {
    this.#head = head
    this.#name = name
    this.#nameEnd = nameEnd
    this.#out = out
  }

  /** Returns where the next record begins; -1 if one is cut or odd. `places` gets where the output has the data. */
  section(from: number, count: number, places: Int32Array | undefined): number {
    const head = this.#head
    const out = this.#out
    let at = from
    for (let i = 0; i < count; i++) {
      if (i > 0) out.byte(COMMA)
      const fixed = fixedPart(head, at)
      if (fixed < 0 || typeAt(head, fixed) === TYPE.OPT) return -1
      this.#record(at, fixed)
      if (places !== undefined) {
        places[i * 2] = this.#dataStart
        places[i * 2 + 1] = out.at - 1
      }
      at = fixed + 10 + ((head[fixed + 8] << 8) | head[fixed + 9])
    }
    return at
  }

  /** The last section, and its EDNS option after it. */
  additionals(from: number): number {
    const head = this.#head
    const out = this.#out
    let at = from
    let isFirst = true
    let option = -1
    for (let i = (head[10] << 8) | head[11]; i > 0; i--) {
      const fixed = fixedPart(head, at)
      if (fixed < 0) return -1
      if (typeAt(head, fixed) === TYPE.OPT) {
        if (option >= 0) return -1
        option = fixed
      } else {
        if (!isFirst) out.byte(COMMA)
        isFirst = false
        this.#record(at, fixed)
      }
      at = fixed + 10 + ((head[fixed + 8] << 8) | head[fixed + 9])
    }
    out.byte(LIST_END)
    if (option >= 0) {
      if (head[option + 8] === 0 && head[option + 9] === 0) out.fragment(plainEdns(head, option))
      else {
        out.fragment(EDNS)
        out.object(ednsAt(head, option))
      }
    }
    return at
  }

  #record(from: number, fixed: number): void {
    const head = this.#head
    const out = this.#out
    const code = ((head[fixed + 2] << 8) | head[fixed + 3]) & 0x7fff
    const type = typeAt(head, fixed)
    const at = fixed + 10
    out.fragment(NAME)
    if (head[from] === 0xc0 && head[from + 1] === HEADER) out.again(this.#name, this.#nameEnd)
    else out.string(readName(head, 0, from, head.length))
    out.fragment(types.get(type))
    if (code !== 1) out.fragment(classes.get(code))
    out.fragment(TTL)
    out.number(
      ((head[fixed + 4] << 24) | (head[fixed + 5] << 16) | (head[fixed + 6] << 8) | head[fixed + 7]) >>> 0,
    )
    out.fragment(DATA_KEY)
    this.#dataStart = out.at
    const end = at + ((head[fixed + 8] << 8) | head[fixed + 9])
    if (type === TYPE.A && end - at === 4) writeIPv4(head, at, out)
    else out.string(readData(type, { bytes: head, start: 0, at, end }))
    out.byte(CLOSE)
  }
}

/** One without options, as nearly all are: the same again and again. */
function plainEdns(head: Uint8Array, fixed: number): JsonFragment {
  for (let i = 0; i < PLAIN_EDNS; i++) {
    if (head[fixed + 2 + i] === lastEdns[i]) continue
    lastEdns.set(head.subarray(fixed + 2, fixed + 2 + PLAIN_EDNS))
    lastEdnsPhrase = jsonFragment(`,"edns":${JSON.stringify(ednsAt(head, fixed))}`)
    break
  }
  return lastEdnsPhrase
}

function writeIPv4(head: Uint8Array, at: number, out: JsonBytes): void {
  out.byte(QUOTE)
  out.number(head[at])
  for (let i = at + 1; i < at + 4; i++) {
    out.byte(DOT)
    out.number(head[i])
  }
  out.byte(QUOTE)
}

function ednsAt(head: Uint8Array, fixed: number): object {
  const ttl =
    ((head[fixed + 4] << 24) | (head[fixed + 5] << 16) | (head[fixed + 6] << 8) | head[fixed + 7]) >>> 0
  const end = fixed + 10 + ((head[fixed + 8] << 8) | head[fixed + 9])
  return readEdns(head, fixed + 10, end, (head[fixed + 2] << 8) | head[fixed + 3], ttl)
}

/** Where type, class and so on of the record stand; -1 where it is cut, or its name is not one. */
function fixedPart(head: Uint8Array, from: number): number {
  const { length } = head
  const fixed = skipName(head, from, length)
  const data = fixed + 10
  return data > length || data + ((head[fixed + 8] << 8) | head[fixed + 9]) > length ? -1 : fixed
}

function typeAt(head: Uint8Array, fixed: number): number {
  return (head[fixed] << 8) | head[fixed + 1]
}

/** Whether nothing follows the question but maybe an option, which of a question is not shown. */
function hasOnlyOption(head: Uint8Array, end: number): boolean {
  if ((head[6] | head[7] | head[8] | head[9] | head[10]) !== 0 || head[11] > 1) return false
  if (head[11] === 0) return true
  const fixed = end < head.length ? fixedPart(head, end) : -1
  return fixed > 0 && typeAt(head, fixed) === TYPE.OPT
}

function isOneQuestion(head: Uint8Array): boolean {
  return head.length > HEADER && head[4] === 0 && head[5] === 1
}

/** Both ask the same, letter by letter. */
function isSame(asked: Uint8Array, told: Uint8Array, end: number): boolean {
  if (end > asked.length || end > told.length) return false
  for (let i = HEADER; i < end; i++) if (asked[i] !== told[i]) return false
  return true
}

function flagList(head: Uint8Array): JsonFragment {
  return flagLists.get(((head[2] << 8) | head[3]) & FLAG_BITS)
}

function lengthOf(message: Message | undefined, head: Uint8Array): number {
  return head.length + (message?.bodySize ?? 0)
}
