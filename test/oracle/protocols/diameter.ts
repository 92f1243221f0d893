import type { Mapping } from '../mapping.ts'
import { readLayers } from '../read-layers.ts'
import { decimal, nameOf, own } from '../values.ts'

export const diameter: Mapping = {
  protocol: 'diameter',
  dissector: 'diameter',
  read: (packets) =>
    readLayers(packets, 'diameter', {
      asked: 'diameter.answer_to',
      key: (layer) => decimal('diameter.hopbyhopid')([layer]),
    }),
  key: (message) => String(own(message, 'hop_by_hop')),
  fields: {
    command_code: { on: 'request', theirs: 'diameter.cmd.code', ours: 'diameter.command_code' },
    command: {
      on: 'request',
      theirs: (nodes) => String(nameOf('diameter.cmd.code')(nodes)).replace(/^3GPP-/, ''),
      ours: 'diameter.command',
    },
    application: { on: 'request', theirs: 'diameter.applicationId', ours: 'diameter.application_id' },
    hop_by_hop: { on: 'request', theirs: decimal('diameter.hopbyhopid'), ours: 'diameter.hop_by_hop' },
    end_to_end: { on: 'request', theirs: decimal('diameter.endtoendid'), ours: 'diameter.end_to_end' },
    length: { on: 'request', theirs: 'diameter.length', ours: 'diameter.request_length' },
    session: { on: 'request', theirs: 'diameter.Session-Id', ours: 'request.avps.Session-Id' },
    user: { on: 'request', theirs: 'diameter.User-Name', ours: 'request.avps.User-Name' },
    origin_host: { on: 'request', theirs: 'diameter.Origin-Host', ours: 'diameter.origin_host' },
    origin_realm: { on: 'request', theirs: 'diameter.Origin-Realm', ours: 'diameter.origin_realm' },
    destination_realm: {
      on: 'request',
      theirs: 'diameter.Destination-Realm',
      ours: 'request.avps.Destination-Realm',
    },
    response_length: { on: 'response', theirs: 'diameter.length', ours: 'diameter.response_length' },
    result: { on: 'response', theirs: 'diameter.Result-Code', ours: 'response.avps.Result-Code' },
    answered_by: { on: 'response', theirs: 'diameter.Origin-Host', ours: 'response.avps.Origin-Host' },
    response_hop_by_hop: {
      on: 'response',
      theirs: decimal('diameter.hopbyhopid'),
      ours: 'diameter.hop_by_hop',
    },
  },
}
