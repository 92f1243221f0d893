import type { Exchange } from '../contract/dissector.ts'

/** What calls of all protocols have in common. */
export const hasRequest = ({ request }: Exchange): boolean => request !== undefined
export const hasResponse = ({ response }: Exchange): boolean => response !== undefined
export const requestTruncated = ({ request }: Exchange): boolean | undefined => request?.truncated
export const responseTruncated = ({ response }: Exchange): boolean | undefined => response?.truncated
/** Bytes on the wire. */
export const requestSize = ({ request }: Exchange): number | undefined => request?.size
export const responseSize = ({ response }: Exchange): number | undefined => response?.size
export const totalSize = ({ request, response }: Exchange): number =>
  (request?.size ?? 0) + (response?.size ?? 0)
