// Asks a list of requests of one server with Node's fetch, in order. In: {base, requests} as JSON. Out: the answers.
let input = ''
for await (const piece of process.stdin) input += piece
const { base, requests } = JSON.parse(input)
const bytes = (text) => Buffer.from(text, 'base64')

function bodyOf(request) {
  if (request.form) return new URLSearchParams(request.form)
  if (request.parts) {
    const data = new FormData()
    for (const [name, value] of Object.entries(request.parts)) data.append(name, value)
    data.append('file', new Blob([bytes(request.file)]), 'file.bin')
    return data
  }
  if (request.body === null) return undefined
  if (!request.chunked) return bytes(request.body)
  return new ReadableStream({
    start(controller) {
      const whole = bytes(request.body)
      for (let at = 0; at < whole.length; at += 1000) controller.enqueue(whole.subarray(at, at + 1000))
      controller.close()
    },
  })
}

const answers = []
for (const request of requests) {
  const response = await fetch(base + request.path, {
    method: request.method,
    headers: request.headers,
    body: bodyOf(request),
    redirect: request.follow ? 'follow' : 'manual',
    duplex: 'half',
  })
  answers.push([{
    status: response.status,
    reason: response.statusText,
    fields: [...response.headers],
    body: Buffer.from(await response.arrayBuffer()).toString('base64'),
  }])
}
process.stdout.write(JSON.stringify(answers))
