import type { Detector } from './detectors.ts'
import { named, parameterDetector } from './head-ranges.ts'

/** What begins like the first field of application/x-www-form-urlencoded. */
const FORM = /^[^\s=&?"<>{}()\\]+=/
/** RFC 7578: a part of multipart/form-data up to where its value begins. */
const PART = /\bcontent-disposition:[ \t]*form-data\b([^\r\n]*)\r?\n(?:[^\r\n]+\r?\n)*\r?\n/gi
const PART_NAME = /;[ \t]*name=(?:"([^"\r\n]*)"|([^\s;"]*))/i

/** Whether a body is a form whose fields are written like the parameters of an address. */
export function isForm(text: string): boolean {
  return FORM.test(text)
}

/** The values of the fields of these names in a body: of a form of either kind, and of addresses in any other. */
export function formDetector(names: readonly string[]): Detector {
  if (names.length === 0) return () => {}
  const wanted = named(names)
  const fields = parameterDetector(names, /[^&\r\n]*/y)
  const parameters = parameterDetector(names)
  return (text, into) => {
    if (isForm(text)) fields(text, into)
    else parameters(text, into)
    for (const { 0: all, 1: rest, index } of text.matchAll(PART)) {
      const [, quoted, plain] = PART_NAME.exec(rest!) ?? []
      if (!wanted(quoted ?? plain ?? '')) continue
      const from = index + all.length
      const end = text.slice(from).search(/\r?\n--/)
      into.push(from, end < 0 ? text.length : from + end)
    }
  }
}
