import type { Handler } from './handler.ts'

export const createAgent: Handler<'create_agent'> = async (input, services, { caller }) => {
  services.redactions.requireUnredacted(caller)
  return (await services.agents.create(input, caller.name)).shown
}

export const listAgents: Handler<'list_agents'> = (_input, { agents }) => ({
  agents: agents.list().map(({ shown }) => shown),
})

export const getAgent: Handler<'get_agent'> = ({ name }, { agents }) => agents.get(name).shown

export const updateAgent: Handler<'update_agent'> = async (input, services, { caller }) => {
  services.redactions.requireUnredacted(caller)
  return (await services.agents.update(input, caller.name)).shown
}

export const testAgentOperation: Handler<'test_agent'> = async ({ name }, services, { caller }) => {
  // The script of another caller may emit what this one may not see.
  services.redactions.requireUnredacted(caller)
  const { call, actions } = await services.agents.test(name, caller.name)
  return { call: { ...call }, actions }
}

export const listAgentHistory: Handler<'list_agent_history'> = ({ name }, { agents }) => ({
  history: agents.get(name).history.list(),
})

export const enableAgent: Handler<'enable_agent'> = async ({ name }, services, { caller }) => {
  services.redactions.requireUnredacted(caller)
  return (await services.agents.turn(name, true)).shown
}

export const disableAgent: Handler<'disable_agent'> = async ({ name }, { agents }) =>
  (await agents.turn(name, false)).shown

export const deleteAgent: Handler<'delete_agent'> = async ({ name }, { agents }) => {
  await agents.remove(name)
  return { success: true, name }
}
