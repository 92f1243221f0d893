import type { Handler } from './handler.ts'

export const getDissectionStatus: Handler<'get_dissection_status'> = (_input, { switchboard }) => ({
  enabled: switchboard.enabled,
})

export const getSwitch: Handler<'get_switch'> = (_input, { switchboard }) => switchboard.state

export const enableDissection: Handler<'enable_dissection'> = async (_input, { switchboard }, context) => ({
  success: await switchboard.turn(true, context.caller.name, context.interface),
  enabled: true,
})

export const disableDissection: Handler<'disable_dissection'> = async (_input, { switchboard }, context) => ({
  success: await switchboard.turn(false, context.caller.name, context.interface),
  enabled: false,
})

export const listSwitchChanges: Handler<'list_switch_changes'> = (_input, { switchboard }) => ({
  changes: switchboard.changes,
})
