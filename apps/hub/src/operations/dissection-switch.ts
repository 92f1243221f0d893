import type { Handler } from './handler.ts'

export const getDissectionStatus: Handler<'get_dissection_status'> = (_input, { switchboard }) => ({
  enabled: switchboard.enabled,
})

export const getSwitch: Handler<'get_switch'> = (_input, { switchboard }) => switchboard.state

export const enableDissection: Handler<'enable_dissection'> = async (_input, { switchboard }, asked) => ({
  success: await switchboard.turn(true, asked.caller.name, asked.door),
  enabled: true,
})

export const disableDissection: Handler<'disable_dissection'> = async (_input, { switchboard }, asked) => ({
  success: await switchboard.turn(false, asked.caller.name, asked.door),
  enabled: false,
})

export const listSwitchChanges: Handler<'list_switch_changes'> = (_input, { switchboard }) => ({
  changes: switchboard.changes,
})
