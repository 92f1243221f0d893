export { type ChosenServer, externalServer, ownServer } from './chosen-server.ts'
export { FaultProxy, type PassedRequest, type ProxyFault } from './fault-proxy.ts'
export { type Fault, S3Server, type SeenRequest } from './s3-server.ts'
