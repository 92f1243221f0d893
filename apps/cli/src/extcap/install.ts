import { existsSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launchCommand } from '../mcp/launch-command.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where Wireshark looks for the extcap programs of a user; *Help, About, Folders* shows it. */
export function extcapFolder(platform: NodeJS.Platform, env: Environment, home = homedir()): string {
  if (platform === 'win32')
    return join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'Wireshark', 'extcap')
  return join(home, '.local', 'lib', 'wireshark', 'extcap')
}

/** A program that runs this command with the same options. */
export function launcher(
  platform: NodeJS.Platform,
  options: readonly string[],
  base = import.meta.url,
): string {
  // The bundle itself, where there is one: Wireshark waits for the answers, and a checkout looks whether it has to build first.
  const bundle = fileURLToPath(new URL('./tapdeck.mjs', base))
  const { command, args } = existsSync(bundle)
    ? { command: process.execPath, args: [bundle] }
    : launchCommand(base)
  const words = [command, ...args, 'extcap', ...options]
  if (platform === 'win32') return `@echo off\r\n${words.map((word) => `"${word}"`).join(' ')} %*\r\n`
  const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
  return `#!/bin/sh\nexec ${quoted.join(' ')} "$@"\n`
}

/** Writes the launcher, and resolves to its path. */
export async function installLauncher(
  platform: NodeJS.Platform,
  folder: string,
  options: readonly string[],
): Promise<string> {
  const path = join(folder, platform === 'win32' ? 'tapdeck.bat' : 'tapdeck')
  await mkdir(folder, { recursive: true })
  await writeFile(path, launcher(platform, options), { mode: 0o700 })
  await chmod(path, 0o700)
  return path
}
