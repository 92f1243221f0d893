import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Real requests to a real server on loopback: every fifth fails with 500. Paths begin with `/<mark>/`. Gives the port of the server. */
export async function makeTraffic(mark: string, requests: number): Promise<number> {
  const server = createServer((request, response) => {
    const fails = request.url?.endsWith('/fail')
    response.writeHead(fails ? 500 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ asked: request.url }))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  for (let i = 0; i < requests; i++) {
    const path = `/${mark}/${i}${i % 5 === 0 ? '/fail' : ''}`
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-visit': `${i}` } })
    await response.text()
  }
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  return port
}
