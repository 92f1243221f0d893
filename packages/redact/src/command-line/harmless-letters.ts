/** Programs that use `-p` and `-u` for something else than a secret and a login. For all others, these are masked. */
const HARMLESS: Readonly<Record<'p' | 'u', ReadonlySet<string>>> = {
  p: new Set(
    (
      'cp git install ls lsof mkdir nc pgrep pkill ps rmdir rsync ssh tar top touch ' +
      // Ports.
      'dig drill flask http-server iperf iperf3 memcached mosquitto nmap nping ping pg_basebackup pg_ctl pg_dump pg_dumpall ' +
      'pg_isready pg_restore postgres psql rails redis-benchmark redis-cli redis-server serve sshd ssh-keyscan ss netstat ' +
      // Processes.
      'gdb ionice iotop jstack nsenter perf pidstat pmap renice strace taskset unshare ' +
      // Projects, packages, folders.
      'cargo docker-compose gradle gradlew nginx npx patch pnpm pytest tsc yarn go jest bazel'
    ).split(' '),
  ),
  u: new Set(
    (
      'cp date diff du env git id journalctl ls pgrep pkill ps rsync sort sudo tar top uniq ' +
      'chroot docker docker-compose kubectl memcached nohup podman runuser setpriv ss unshare netstat mysqld'
    ).split(' '),
  ),
}
/** These log in with `-p`, and publish ports or name projects with it otherwise. */
const CONTAINERS = /^(?:docker|podman|nerdctl)$/

/** `words`: the positional arguments up to now. */
export function isHarmless(letter: 'p' | 'u', program: string, words: readonly string[]): boolean {
  if (CONTAINERS.test(program)) return !words.includes('login') && (letter === 'p' || words.length > 0)
  if (program === 'kubectl' && letter === 'p') return words.includes('logs')
  return HARMLESS[letter].has(program)
}
