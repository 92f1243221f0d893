import { explain, NONE } from '../explain.ts'

export const ldap = [
  ...explain(
    'ldap',
    'ldap/calls',
    'tshark writes a list of alternatives as nested pairs, we write it as sent.',
    [
      'filter',
      '(&(objectClass=inetOrgPerson)(|(uid=user1*)(cn~=User 2)(!…',
      '(&(objectClass=inetOrgPerson)(|(|(|(uid=user1*)(cn~=User …',
    ],
  ),
  ...explain('ldap', 'ldap/errors', 'An operation that does not exist: we show its tag.', [
    'operation',
    '[APPLICATION 17]',
    NONE,
  ]),
  ...explain(
    'ldap',
    'ldap/pipelined',
    'The search was abandoned and never ended; we count the entries so far.',
    ['entries', '4', NONE],
  ),
]
