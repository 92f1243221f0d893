import { HubProblem } from './hub-problem.ts'

/** Sends a file to the hub as it is. `fetch` reports no progress of what it sends. */
export function upload(path: string, file: Blob, onProgress: (sent: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', path)
    request.setRequestHeader('accept', 'application/json')
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.upload.onprogress = ({ loaded }) => onProgress(loaded)
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve()
      else reject(new HubProblem(request.status, bodyOf(request.responseText)))
    }
    request.onerror = () => reject(HubProblem.unreachable())
    request.send(file)
  })
}

function bodyOf(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
