import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { thisArchitecture } from './platforms.mjs'

/** Debian packages that hold what Node.js and our native packages link to. */
const DEBIAN_PACKAGES = ['libc6', 'libstdc++6', 'libgcc-s1']
const LOADERS = { amd64: '/lib64/ld-linux-x86-64.so.2', arm64: '/lib/ld-linux-aarch64.so.1' }
/** What glibc opens at run time and no program links to: names by DNS and by files. */
const OPENED_LATER = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2']

/**
 * The shared libraries that these programs need, as files of the image. For the machine's own architecture they are the
 * machine's; for another one they come from Debian's packages, which takes `apt-get` and `dpkg-deb`.
 *
 * @returns {{path: string, mode: number, content: Buffer}[]}
 */
export function sharedLibraries(architecture, programs) {
  const isForeign = architecture !== thisArchitecture()
  const found = isForeign ? fromDebian(architecture) : ofThisMachine(LOADERS[architecture], programs)
  return [...found].map(([path, content]) => ({ path: path.slice(1), mode: 0o755, content }))
}

function ofThisMachine(loader, programs) {
  const files = new Map()
  const add = (path) => files.set(path, readFileSync(realpathSync(path)))
  add(loader)
  for (const program of programs) {
    for (const line of linkedBy(program)) {
      const path = /=> (\/\S+)/.exec(line)?.[1]
      // A library beside the program comes along with its package.
      if (path && dirname(path) !== dirname(program)) add(path)
    }
  }
  const folder = dirname([...files.keys()].find((path) => basename(path) === 'libc.so.6') ?? '/lib/x')
  for (const name of OPENED_LATER) if (existsSync(join(folder, name))) add(join(folder, name))
  return files
}

function linkedBy(program) {
  try {
    return execFileSync('ldd', [program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split(
      '\n',
    )
  } catch (error) {
    throw new Error(
      `ldd cannot read ${program}: ${error.message}. The image needs a Linux machine with glibc.`,
    )
  }
}

function fromDebian(architecture) {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-libraries-'))
  try {
    const lists = join(folder, 'lists')
    const cache = join(folder, 'cache')
    for (const path of [join(lists, 'partial'), join(cache, 'archives', 'partial'), join(folder, 'root')])
      mkdirSync(path, { recursive: true })
    const options = [
      ...['-qq', '-o', `APT::Architecture=${architecture}`, '-o', `APT::Architectures=${architecture}`],
      ...[
        '-o',
        `Dir::State::lists=${lists}`,
        '-o',
        `Dir::Cache=${cache}`,
        '-o',
        'Dir::State::status=/dev/null',
      ],
      ...['-o', 'APT::Sandbox::User=root'],
    ]
    run('apt-get', [...options, 'update'], folder)
    run('apt-get', [...options, 'download', ...DEBIAN_PACKAGES], folder)
    const root = join(folder, 'root')
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.deb')))
      run('dpkg-deb', ['-x', name, root], folder)
    return librariesBelow(root)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function run(command, args, cwd) {
  try {
    execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
  } catch (error) {
    const said = String(error.stderr ?? '').trim() || error.message
    throw new Error(`${command} failed: ${said}. An image of another architecture takes Debian's apt-get.`)
  }
}

function librariesBelow(root) {
  const files = new Map()
  for (const folder of ['lib', 'usr/lib']) {
    const top = join(root, folder)
    if (!existsSync(top)) continue
    for (const entry of readdirSync(top, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (!/\.so(\.[0-9]+)*$/.test(entry.name) || path.includes('/gconv/') || path.includes('/audit/'))
        continue
      if (existsSync(path)) files.set(path.slice(root.length), readFileSync(realpathSync(path)))
    }
  }
  return files
}
