import { type StreamMessage, streamPath } from '@tapdeck/api'
import { WebSocket } from 'ws'
import { CommandFailed } from '../command-failed.ts'
import type { HubClient } from './hub-client.ts'

/** Live calls that match a filter, as the hub finds them. Ends when `signal` is aborted. Throws `CommandFailed`. */
export async function* callStream(
  hub: HubClient,
  kfl: string,
  signal: AbortSignal,
): AsyncGenerator<StreamMessage> {
  const url = `${hub.base.replace(/^http/i, 'ws')}${streamPath}?${new URLSearchParams({ kfl })}`
  const socket = new WebSocket(url, { headers: hub.authorization })
  const waiting: StreamMessage[] = []
  let failure: CommandFailed | undefined
  let isOver = false
  let wake: () => void = () => undefined
  const end = (error?: CommandFailed) => {
    failure ??= error
    isOver = true
    wake()
  }
  socket.on('message', (data) => {
    waiting.push(JSON.parse(String(data)) as StreamMessage)
    // The hub counts what a slow reader misses, so messages wait there and not here.
    if (waiting.length >= MAX_WAITING) socket.pause()
    wake()
  })
  socket.on('unexpected-response', (_, response) => {
    end(new CommandFailed(`the hub at ${hub.base} refused the stream (${response.statusCode})`))
    socket.terminate()
  })
  socket.on('error', (error) => end(new CommandFailed(`no stream from ${hub.base} (${error.message})`)))
  socket.on('close', () => end(signal.aborted ? undefined : new CommandFailed('the hub ended the stream')))
  const stop = () => {
    end()
    socket.close()
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const message = waiting.shift()
      if (message !== undefined) {
        if (socket.isPaused && waiting.length === 0) socket.resume()
        yield message
        continue
      }
      if (isOver) break
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    if (failure && !signal.aborted) throw failure
  } finally {
    signal.removeEventListener('abort', stop)
    socket.terminate()
  }
}

const MAX_WAITING = 64
