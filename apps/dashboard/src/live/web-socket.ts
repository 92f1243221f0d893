import type { Socket } from './stream-socket.ts'

/** A stream to the hub that served this page. One that begins paused does not count as watching. */
export function openWebSocket(paused: boolean): Socket {
  const path = paused ? '/api/stream?paused=1' : '/api/stream'
  const web = new WebSocket(new URL(path, location.href.replace(/^http/, 'ws')))
  const socket: Socket = {
    onopen: null,
    onmessage: null,
    onclose: null,
    send: (text) => web.send(text),
    close: () => web.close(),
  }
  web.onopen = () => socket.onopen?.()
  web.onmessage = (event) => socket.onmessage?.(event)
  web.onclose = () => socket.onclose?.()
  return socket
}
