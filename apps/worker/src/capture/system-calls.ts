import type { LeaveCache } from './write-behind.ts'

/** The C library functions that capture needs. Each returns -1 on failure and sets `errno`. */
export interface SystemCalls {
  socket(domain: number, type: number, protocol: number): number
  bind(fd: number, address: Uint8Array, length: number): number
  setsockopt(fd: number, level: number, name: number, value: Uint8Array, length: number): number
  /** `length` holds one number: the size of `value`, then the bytes written. */
  getsockopt(fd: number, level: number, name: number, value: Uint8Array, length: Uint32Array): number
  ioctl(fd: number, request: number, argument: Uint8Array): number
  /** For requests whose argument is a number. */
  ioctlNumber(fd: number, request: number, argument: number): number
  mmap(
    at: bigint | null,
    length: number,
    protection: number,
    flags: number,
    fd: number,
    offset: number,
  ): bigint
  munmap(address: bigint, length: number): number
  mremap(from: bigint, length: number, newLength: number, flags: number, to: bigint): bigint
  close(fd: number): number
  /** Moves this thread into another namespace. */
  setns(fd: number, type: number): number
  /** Receives several packets. `messages`: address of an array of struct mmsghdr. */
  recvmmsg(fd: number, messages: bigint, count: number, flags: number, timeout: null): number
  /** Runs in another thread; see `LeaveCache`. */
  leaveCache: LeaveCache
  bpf(command: number, attributes: Uint8Array, length: number): number
  perfEventOpen(attributes: Uint8Array, pid: number, cpu: number, group: number, flags: number): number
  errno(): number
  /** The address of a buffer, for structures that point to it. */
  address(buffer: Uint8Array): bigint
  /** Memory of the process as a buffer, not copied. It must stay mapped while the buffer is used. */
  view(address: bigint, length: number): ArrayBuffer
  /** Calls back in this thread's event loop while there is something to read, until stopped. */
  whenReadable(fd: number, callback: () => void): Poll
}

export interface Poll {
  start(): void
  stop(): void
  close(): void
}

const POSIX_FADV_DONTNEED = 4
/** Numbers of system calls for which the C library has no function. */
const BPF: Readonly<Record<string, number>> = { x64: 321, arm64: 280 }
const PERF_EVENT_OPEN: Readonly<Record<string, number>> = { x64: 298, arm64: 241 }

let loaded: Promise<SystemCalls> | undefined

/** Rejects if there is no native module for this platform. */
export function loadSystemCalls(): Promise<SystemCalls> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<SystemCalls> {
  const { default: koffi } = await import('koffi')
  const library = koffi.load(null)
  const systemCall = library.func('int64_t syscall(int64_t, int, _Inout_ uint8_t *, uint32_t)')
  const openEvent = library.func('int64_t syscall(int64_t, _Inout_ uint8_t *, int, int, int, unsigned long)')
  const advise = library.func('int posix_fadvise(int, int64_t, int64_t, int)')
  return {
    socket: library.func('int socket(int, int, int)'),
    bind: library.func('int bind(int, const uint8_t *, uint32_t)'),
    setsockopt: library.func('int setsockopt(int, int, int, const uint8_t *, uint32_t)'),
    getsockopt: library.func('int getsockopt(int, int, int, _Out_ uint8_t *, _Inout_ uint32_t *)'),
    ioctl: library.func('int ioctl(int, unsigned long, _Inout_ uint8_t *)'),
    ioctlNumber: library.func('int ioctl(int, unsigned long, unsigned long)'),
    mmap: library.func('void *mmap(void *, size_t, int, int, int, int64_t)'),
    munmap: library.func('int munmap(void *, size_t)'),
    mremap: library.func('void *mremap(void *, size_t, size_t, int, void *)'),
    close: library.func('int close(int)'),
    setns: library.func('int setns(int, int)'),
    recvmmsg: library.func('int recvmmsg(int, void *, uint32_t, int, void *)'),
    leaveCache: (fd, from, length, done) => advise.async(fd, from, length, POSIX_FADV_DONTNEED, done),
    bpf: (command, attributes, length) =>
      Number(systemCall(BPF[process.arch] ?? -1, command, attributes, length)),
    perfEventOpen: (attributes, pid, cpu, group, flags) =>
      Number(openEvent(PERF_EVENT_OPEN[process.arch] ?? -1, attributes, pid, cpu, group, flags)),
    errno: () => koffi.errno(),
    address: (buffer) => koffi.address(buffer),
    view: (address, length) => koffi.view(address, length),
    whenReadable: (fd, callback) => {
      const poll = koffi.node.poll(fd, { readable: true }, callback)
      return {
        start: () => poll.start({ readable: true }, callback),
        stop: () => poll.stop(),
        close: () => poll.close(),
      }
    },
  }
}
