import type { Mapping } from '../mapping.ts'
import { readLayers } from '../read-layers.ts'
import { hex, nameOf } from '../values.ts'

export const radius: Mapping = {
  protocol: 'radius',
  dissector: 'radius',
  read: (packets) => readLayers(packets, 'radius', { asked: 'radius.reqframe' }),
  fields: {
    code: { on: 'request', theirs: 'radius.code', ours: 'radius.code' },
    code_name: { on: 'request', theirs: nameOf('radius.code'), ours: 'method' },
    id: { on: 'request', theirs: 'radius.id', ours: 'radius.id' },
    length: { on: 'request', theirs: 'radius.length', ours: 'radius.request_length' },
    authenticator: { on: 'request', theirs: hex('radius.authenticator'), ours: 'request.authenticator' },
    user: { on: 'request', theirs: 'radius.User_Name', ours: 'request.attributes.User-Name' },
    nas_ip: { on: 'request', theirs: 'radius.NAS_IP_Address', ours: 'radius.nas_ip' },
    nas_identifier: { on: 'request', theirs: 'radius.NAS_Identifier', ours: 'radius.nas_identifier' },
    nas_port: { on: 'request', theirs: 'radius.NAS_Port', ours: 'request.attributes.NAS-Port' },
    calling_station: { on: 'request', theirs: 'radius.Calling_Station_Id', ours: 'radius.calling_station' },
    called_station: { on: 'request', theirs: 'radius.Called_Station_Id', ours: 'radius.called_station' },
    session: { on: 'request', theirs: 'radius.Acct_Session_Id', ours: 'request.attributes.Acct-Session-Id' },
    response_code: { on: 'response', theirs: 'radius.code', ours: 'radius.response_code' },
    response_name: { on: 'response', theirs: nameOf('radius.code'), ours: 'status' },
    response_length: { on: 'response', theirs: 'radius.length', ours: 'radius.response_length' },
    reply_message: { on: 'response', theirs: 'radius.Reply_Message', ours: 'radius.reply_message' },
    framed_ip: {
      on: 'response',
      theirs: 'radius.Framed-IP-Address',
      ours: 'response.attributes.Framed-IP-Address',
    },
    session_timeout: {
      on: 'response',
      theirs: 'radius.Session_Timeout',
      ours: 'response.attributes.Session-Timeout',
    },
  },
}
