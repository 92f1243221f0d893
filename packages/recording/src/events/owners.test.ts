import { describe, expect, it } from 'vitest'
import { Owners } from './owners.ts'
import type { RecordedEvent } from './recorded-event.ts'

const client = { ip: '10.0.0.1', port: 40_000 }
const server = { ip: '10.0.0.2', port: 80 }
const opened = (ts: number, comm: string): RecordedEvent => ({
  ts,
  kind: 'os',
  type: 'connection_open',
  comm,
  local: '10.0.0.1:40000',
  remote: '10.0.0.2:80',
})
const listens = (ts: number, comm: string, more: object = {}): RecordedEvent => ({
  ts,
  kind: 'os',
  type: 'listen_open',
  comm,
  local: '10.0.0.2:80',
  ...more,
})

describe('Owners', () => {
  it('names both ends: who opened the connection, and who listened', () => {
    const owners = new Owners()
    owners.learn(opened(1000, 'curl'))
    owners.learn(listens(500, 'nginx'))
    expect(owners.name('tcp', client, server, 1001)).toBe('curl')
    expect(owners.name('tcp', server, client, 1001)).toBe('nginx')
    expect(owners.name('udp', server, client, 1001)).toBeUndefined()
    expect(owners.name('tcp', { ip: '10.0.0.9', port: 80 }, client, 1001)).toBeUndefined()
  })

  it('knows who it was at the time, when ports are used again', () => {
    const owners = new Owners()
    owners.learn(opened(1000, 'curl'))
    owners.learn(opened(60_000, 'wget'))
    expect(owners.name('tcp', client, server, 1001)).toBe('curl')
    expect(owners.name('tcp', client, server, 60_001)).toBe('wget')
    expect(owners.name('tcp', client, server, 10)).toBe('curl')
  })

  it('takes one that listens everywhere for the addresses it has, and for no other', () => {
    const owners = new Owners()
    owners.learn(listens(1, 'sshd', { local: '0.0.0.0:22', ips: ['127.0.0.1', '10.0.0.2'] }))
    expect(owners.name('tcp', { ip: '10.0.0.2', port: 22 }, client, 5)).toBe('sshd')
    expect(owners.name('tcp', { ip: '192.0.2.1', port: 22 }, client, 5)).toBeUndefined()
  })

  it('does not take the loopback of another network namespace for its own', () => {
    const owners = new Owners()
    owners.learn(listens(1, 'pod', { local: '0.0.0.0:80', ips: ['127.0.0.1', '10.0.0.2'], netns: 5 }))
    expect(owners.name('tcp', { ip: '127.0.0.1', port: 80 }, client, 5)).toBeUndefined()
    expect(owners.name('tcp', server, client, 5)).toBe('pod')
  })

  it('forgets the oldest conversations and counts them', () => {
    const owners = new Owners()
    for (let port = 0; port < 65_536 + 10; port++)
      owners.learn({ ...opened(1, 'x'), local: `10.0.0.1:${port}` })
    expect(owners.forgotten).toBe(10)
    expect(owners.name('tcp', { ip: '10.0.0.1', port: 9 }, server, 2)).toBeUndefined()
    expect(owners.name('tcp', { ip: '10.0.0.1', port: 10 }, server, 2)).toBe('x')
  })
})
