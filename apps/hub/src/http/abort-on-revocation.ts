import type { Access } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'

const LOOK_EVERY_MS = 500

/** A long answer that breaks off when its reader's credential ends, such as a download by a token that is revoked. */
export function abortOnRevocation(response: Response, caller: Caller, access: Access): Response {
  const { body } = response
  if (body === null) return response
  const reader = body.getReader()
  let timer: NodeJS.Timeout | undefined
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => {
        if (access.isCredentialValid(caller)) return
        clearInterval(timer)
        controller.error(new Error('The credential has expired or was revoked'))
        reader.cancel().catch(() => undefined)
      }, LOOK_EVERY_MS).unref()
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        clearInterval(timer)
        controller.close()
      } catch (error) {
        clearInterval(timer)
        throw error
      }
    },
    cancel(reason) {
      clearInterval(timer)
      return reader.cancel(reason)
    },
  })
  return new Response(stream, response)
}
