/** An object of a bucket. `modified` is in Unix milliseconds. */
export interface StoredObject {
  readonly key: string
  readonly size: number
  readonly modified: number
}

/** A multipart upload that was begun and neither completed nor aborted. */
export interface UploadPlan {
  readonly key: string
  readonly id: string
}

export interface ObjectUpload extends UploadPlan {
  /** Unix milliseconds. */
  readonly begun: number
}

export interface UploadedPart {
  /** From 1. */
  readonly number: number
  readonly etag: string
  readonly size: number
}

/** A part that another process is to send: a grant is for exactly these bytes. */
export interface GrantedPart {
  /** From 1. */
  readonly number: number
  readonly size: number
  /** Base64, as the header `Content-MD5` has it. */
  readonly md5: string
}

export interface VersionedObject {
  readonly bytes: Uint8Array
  readonly version: string
}

/** When an object may be written, so that of two writers only one succeeds. */
export interface PutCondition {
  /** Only if there is no object of this key. */
  readonly onlyNew?: boolean
  /** Only if the object is of this version. */
  readonly replaces?: string | undefined
}

/**
 * A bucket, below a prefix: keys are relative to it. All methods throw `StorageProblem`. Objects are written whole or not
 * at all.
 */
export interface ObjectStore {
  /** For messages. */
  readonly address: string
  /**
   * Returns the version of what was written. Throws `exists` where the condition does not hold, and `unsupported` where the storage
   * has no conditions.
   */
  put(key: string, bytes: Uint8Array, condition?: PutCondition, signal?: AbortSignal): Promise<string>
  /**
   * The same for a storage without conditions too, such as OpenStack Swift: there it looks before it writes, and of two writers at
   * the same moment both may succeed.
   */
  putAfterLook(key: string, bytes: Uint8Array, condition: PutCondition): Promise<string>
  /** The whole of a small object; undefined where there is none. Throws where it is larger than `maxBytes`. */
  get(key: string, maxBytes: number): Promise<Uint8Array | undefined>
  /** The same, with the version that `replaces` of a later `put` names. */
  getVersion(key: string, maxBytes: number, signal?: AbortSignal): Promise<VersionedObject | undefined>
  /** The bytes `[from, end)`; all of them. */
  read(key: string, from: number, end: number, signal?: AbortSignal): Promise<Uint8Array>
  /** Undefined where there is no such object. */
  sizeOf(key: string): Promise<number | undefined>
  list(prefix: string): AsyncGenerator<StoredObject>
  remove(keys: readonly string[]): Promise<void>
  beginUpload(key: string): Promise<UploadPlan>
  uploadPart(
    upload: UploadPlan,
    number: number,
    bytes: Uint8Array,
    signal?: AbortSignal,
  ): Promise<UploadedPart>
  /**
   * An address to which a process without credentials can send this part, and nothing else, by PUT with `Content-MD5`, for some
   * seconds.
   */
  grantPart(upload: UploadPlan, part: GrantedPart, seconds: number): Promise<string>
  /**
   * Parts that have arrived; undefined where the upload is not known any more. Some storages know it after its end: to complete it
   * again changes nothing there.
   */
  uploadedParts(upload: UploadPlan): Promise<UploadedPart[] | undefined>
  completeUpload(upload: UploadPlan, parts: readonly UploadedPart[]): Promise<void>
  /** Does nothing where the upload has ended. */
  abortUpload(upload: UploadPlan): Promise<void>
  /** Uploads below a prefix that have not ended. */
  uploads(prefix: string): Promise<ObjectUpload[]>
  close(): void
}
