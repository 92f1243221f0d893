import { quote } from './clause.ts'

const METHODS = /^(get|post|put|patch|delete|head|options)$/i
const STATUS = /^[1-5]\d\d$/
const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/
/** A comparison, a bracket or a text in quotes: this is meant as a filter, not as words to look for. */
const LOOKS_LIKE_FILTER = /[=<>!()[\]"'&|]/
const MAX_TEXT = 200

/** The filters that words without a comparison probably mean, the likeliest first. None for what looks like a filter. */
export function probableFilters(text: string): readonly string[] {
  const words = text.trim()
  if (words === '' || words.length > MAX_TEXT || LOOKS_LIKE_FILTER.test(words)) return []
  const quoted = quote(words)
  const inPath = `request.path contains ${quoted}`
  if (words.startsWith('/')) return [inPath]
  if (STATUS.test(words)) return [`response.status == ${words}`, inPath]
  if (METHODS.test(words)) return [`request.method == ${quote(words.toUpperCase())}`, inPath]
  if (IPV4.test(words)) return [`src.ip == ${quoted} or dst.ip == ${quoted}`]
  const name = `dst.svc contains ${quoted} or src.pod contains ${quoted}`
  return /[\s/]/.test(words) ? [inPath] : [name, inPath]
}
