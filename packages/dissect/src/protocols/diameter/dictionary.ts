export type Kind = 'text' | 'number' | 'long' | 'address' | 'ip' | 'time' | 'grouped' | 'secret' | 'bytes'

/** Names and kinds of pairs without a vendor: RFC 6733 §4.5, RFC 8506 §8, RFC 7155. */
const BASE: Readonly<Record<number, readonly [string, Kind]>> = {
  1: ['User-Name', 'text'],
  2: ['User-Password', 'secret'],
  8: ['Framed-IP-Address', 'ip'],
  25: ['Class', 'bytes'],
  27: ['Session-Timeout', 'number'],
  30: ['Called-Station-Id', 'text'],
  31: ['Calling-Station-Id', 'text'],
  33: ['Proxy-State', 'bytes'],
  44: ['Acct-Session-Id', 'bytes'],
  55: ['Event-Timestamp', 'time'],
  85: ['Acct-Interim-Interval', 'number'],
  257: ['Host-IP-Address', 'address'],
  258: ['Auth-Application-Id', 'number'],
  259: ['Acct-Application-Id', 'number'],
  260: ['Vendor-Specific-Application-Id', 'grouped'],
  261: ['Redirect-Host-Usage', 'number'],
  263: ['Session-Id', 'text'],
  264: ['Origin-Host', 'text'],
  265: ['Supported-Vendor-Id', 'number'],
  266: ['Vendor-Id', 'number'],
  267: ['Firmware-Revision', 'number'],
  268: ['Result-Code', 'number'],
  269: ['Product-Name', 'text'],
  273: ['Disconnect-Cause', 'number'],
  274: ['Auth-Request-Type', 'number'],
  277: ['Auth-Session-State', 'number'],
  278: ['Origin-State-Id', 'number'],
  279: ['Failed-AVP', 'grouped'],
  280: ['Proxy-Host', 'text'],
  281: ['Error-Message', 'text'],
  282: ['Route-Record', 'text'],
  283: ['Destination-Realm', 'text'],
  284: ['Proxy-Info', 'grouped'],
  285: ['Re-Auth-Request-Type', 'number'],
  291: ['Authorization-Lifetime', 'number'],
  292: ['Redirect-Host', 'text'],
  293: ['Destination-Host', 'text'],
  294: ['Error-Reporting-Host', 'text'],
  295: ['Termination-Cause', 'number'],
  296: ['Origin-Realm', 'text'],
  297: ['Experimental-Result', 'grouped'],
  298: ['Experimental-Result-Code', 'number'],
  299: ['Inband-Security-Id', 'number'],
  415: ['CC-Request-Number', 'number'],
  416: ['CC-Request-Type', 'number'],
  420: ['CC-Time', 'number'],
  421: ['CC-Total-Octets', 'long'],
  431: ['Granted-Service-Unit', 'grouped'],
  432: ['Rating-Group', 'number'],
  437: ['Requested-Service-Unit', 'grouped'],
  439: ['Service-Identifier', 'number'],
  443: ['Subscription-Id', 'grouped'],
  444: ['Subscription-Id-Data', 'text'],
  446: ['Used-Service-Unit', 'grouped'],
  450: ['Subscription-Id-Type', 'number'],
  456: ['Multiple-Services-Credit-Control', 'grouped'],
  461: ['Service-Context-Id', 'text'],
  480: ['Accounting-Record-Type', 'number'],
  485: ['Accounting-Record-Number', 'number'],
}
const THREE_GPP = 10415
/** Those of 3GPP: TS 29.229, 29.272, 29.329. */
const MOBILE: Readonly<Record<number, readonly [string, Kind]>> = {
  601: ['Public-Identity', 'text'],
  602: ['Server-Name', 'text'],
  609: ['SIP-Authenticate', 'secret'],
  610: ['SIP-Authorization', 'secret'],
  612: ['SIP-Auth-Data-Item', 'grouped'],
  625: ['Confidentiality-Key', 'secret'],
  626: ['Integrity-Key', 'secret'],
  1032: ['RAT-Type', 'number'],
  1400: ['Subscription-Data', 'grouped'],
  1405: ['ULR-Flags', 'number'],
  1406: ['ULA-Flags', 'number'],
  1407: ['Visited-PLMN-Id', 'bytes'],
  1408: ['Requested-EUTRAN-Authentication-Info', 'grouped'],
  1413: ['Authentication-Info', 'grouped'],
  1414: ['E-UTRAN-Vector', 'grouped'],
  1447: ['RAND', 'secret'],
  1448: ['XRES', 'secret'],
  1449: ['AUTN', 'secret'],
  1450: ['KASME', 'secret'],
}

export function avpName(code: number, vendor: number): string {
  return entry(code, vendor)?.[0] ?? (vendor === 0 ? `AVP-${code}` : `AVP-${vendor}-${code}`)
}

export function avpKind(code: number, vendor: number): Kind {
  return entry(code, vendor)?.[1] ?? 'bytes'
}

function entry(code: number, vendor: number): readonly [string, Kind] | undefined {
  return vendor === 0 ? BASE[code] : vendor === THREE_GPP ? MOBILE[code] : undefined
}
