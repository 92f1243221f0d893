import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { containerOf } from './process-details.ts'
import { scanSockets } from './socket-scan.ts'
import { parseSockets } from './socket-table.ts'

const tcp = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100 0 0 10 0
   1: 0100000A:9C40 0200000A:0050 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0 20 4 30 10 -1
   2: 0100000A:9C41 0200000A:0050 06 00000000:00000000 00:00000000 00000000     0        0 0 3 0
`
const tcp6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 5 1 0
   1: 0000000000000000FFFF00000100000A:9C42 0000000000000000FFFF00000200000A:0050 01 00000000:00000000 00:00000000 00000000     0        0 6 1 0
`

describe('socket tables of /proc', () => {
  it('list listening and connected sockets by inode', () => {
    expect(parseSockets(tcp, 'tcp')).toEqual([
      { inode: 4711, transport: 'tcp', local: '127.0.0.1:8080' },
      { inode: 4712, transport: 'tcp', local: '10.0.0.1:40000', remote: '10.0.0.2:80' },
    ])
  })

  it('show an IPv4 address on an IPv6 socket as IPv4', () => {
    expect(parseSockets(tcp6, 'tcp')).toEqual([
      { inode: 5, transport: 'tcp', local: ':::80' },
      { inode: 6, transport: 'tcp', local: '10.0.0.1:40002', remote: '10.0.0.2:80' },
    ])
  })

  it('are empty if truncated or in another format', () => {
    expect(parseSockets('', 'tcp')).toEqual([])
    expect(parseSockets(tcp.slice(0, 140), 'tcp')).toEqual([])
  })

  it.skipIf(process.platform !== 'linux')('lead to the process that holds a socket', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const found = (await scanSockets()).find(({ local }) => local === `127.0.0.1:${port}`)
    server.close()
    expect(found).toMatchObject({ pid: process.pid, transport: 'tcp' })
  })
})

describe('the container of a process', () => {
  const id = '0123456789abcdef'.repeat(4)

  it('is read from its cgroup, in the formats of the runtimes', () => {
    expect(containerOf(`0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-${id}.scope\n`)).toBe(id)
    expect(containerOf(`12:pids:/docker/${id}\n0::/\n`)).toBe(id)
    expect(containerOf('0::/user.slice\n')).toBeUndefined()
  })
})
