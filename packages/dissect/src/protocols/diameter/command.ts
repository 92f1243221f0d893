/** Commands by code: RFC 6733, 4004, 4005, 4072, 4740, 7155, 8506, and 3GPP TS 29.172, 29.219, 29.229, 29.272, 29.329. */
const COMMANDS: Readonly<Record<number, readonly [short: string, long: string]>> = {
  257: ['CE', 'Capabilities-Exchange'],
  258: ['RA', 'Re-Auth'],
  260: ['AM', 'AA-Mobile-Node'],
  262: ['HA', 'Home-Agent-MIP'],
  265: ['AA', 'AA'],
  268: ['DE', 'Diameter-EAP'],
  271: ['AC', 'Accounting'],
  272: ['CC', 'Credit-Control'],
  274: ['AS', 'Abort-Session'],
  275: ['ST', 'Session-Termination'],
  280: ['DW', 'Device-Watchdog'],
  282: ['DP', 'Disconnect-Peer'],
  283: ['UA', 'User-Authorization'],
  284: ['SA', 'Server-Assignment'],
  285: ['LI', 'Location-Info'],
  286: ['MA', 'Multimedia-Auth'],
  287: ['RT', 'Registration-Termination'],
  288: ['PP', 'Push-Profile'],
  300: ['UA', 'User-Authorization'],
  301: ['SA', 'Server-Assignment'],
  302: ['LI', 'Location-Info'],
  303: ['MA', 'Multimedia-Auth'],
  304: ['RT', 'Registration-Termination'],
  305: ['PP', 'Push-Profile'],
  306: ['UD', 'User-Data'],
  307: ['PU', 'Profile-Update'],
  308: ['SN', 'Subscribe-Notifications'],
  309: ['PN', 'Push-Notification'],
  310: ['BI', 'Bootstrapping-Info'],
  311: ['MP', 'Message-Process'],
  316: ['UL', 'Update-Location'],
  317: ['CL', 'Cancel-Location'],
  318: ['AI', 'Authentication-Information'],
  319: ['ID', 'Insert-Subscriber-Data'],
  320: ['DS', 'Delete-Subscriber-Data'],
  321: ['PU', 'Purge-UE'],
  322: ['RS', 'Reset'],
  323: ['NO', 'Notify'],
  324: ['EC', 'ME-Identity-Check'],
  8388620: ['PL', 'Provide-Location'],
  8388621: ['LR', 'Location-Report'],
  8388622: ['RI', 'LCS-Routing-Info'],
  8388635: ['SL', 'Spending-Limit'],
  8388636: ['SN', 'Spending-Status-Notification'],
}

/** Short name, such as `CER` or `CEA`. */
export function commandName(code: number, request: boolean): string | undefined {
  const names = COMMANDS[code]
  return names === undefined ? undefined : names[0] + (request ? 'R' : 'A')
}

export function commandTitle(code: number): string | undefined {
  return COMMANDS[code]?.[1]
}

const APPLICATIONS: Readonly<Record<number, string>> = {
  0: 'Common Messages',
  1: 'NASREQ',
  2: 'Mobile IPv4',
  3: 'Base Accounting',
  4: 'Credit Control',
  5: 'EAP',
  6: 'SIP',
  16777216: '3GPP Cx',
  16777217: '3GPP Sh',
  16777236: '3GPP Rx',
  16777238: '3GPP Gx',
  16777250: '3GPP STa',
  16777251: '3GPP S6a',
  16777252: '3GPP S13',
  16777255: '3GPP SLg',
  16777264: '3GPP SWm',
  16777265: '3GPP SWx',
  16777266: '3GPP Gxx',
  16777272: '3GPP S6b',
  16777291: '3GPP SLh',
  16777302: '3GPP Sy',
  4294967295: 'Relay',
}

export function applicationName(id: number): string {
  return APPLICATIONS[id] ?? String(id)
}
