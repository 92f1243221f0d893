/** The pieces as the body of a response. The first is made before, so that early errors are returned. */
export async function bodyOf(pieces: AsyncGenerator<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  let next: IteratorResult<Uint8Array> | undefined = await pieces.next()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = next ?? (await pieces.next())
      next = undefined
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await pieces.return(undefined)
    },
  })
}
