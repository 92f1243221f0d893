import { planted } from './planted/index.ts'
import { Stage } from './stage/stage.ts'

/** Plays one incident in the network namespace that it was started in, prints a line at its end, and waits to be killed. */
const incident = planted.find(({ name }) => name === process.argv[2])
if (incident === undefined) throw new Error(`no incident ${process.argv[2]}`)
// What breaks between the clients and servers of an incident is part of it.
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  if (error.syscall === undefined) throw error
})
const stage = new Stage(incident.services)
await incident.play(stage)
await stage.end
console.log('over')
setInterval(() => undefined, 60_000)
