export type {
  GrantedPart,
  ObjectStore,
  ObjectUpload,
  PutCondition,
  StoredObject,
  UploadedPart,
  UploadPlan,
  VersionedObject,
} from './object-store.ts'
export type { S3Settings } from './s3/s3-settings.ts'
export { type StorageFailure, StorageProblem } from './storage-problem.ts'
