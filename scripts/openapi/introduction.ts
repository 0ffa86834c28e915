// The description of the API as a whole, in Markdown.

export const introduction = `Latchkey issues short-lived access tokens and shares documents by link.
The same methods are available over gRPC and Connect, with the same access rules and error codes.

## Start

1. Create an API key in the settings of a workspace, and put it into a variable:
   \`export LATCHKEY_API_KEY=…\`
2. Send it with each request, in the header \`Authorization: Bearer …\`
3. Call a method. Replace \`https://latchkey.example\` with the address of your service:

\`\`\`sh
# curl
curl -H "Authorization: Bearer $LATCHKEY_API_KEY" https://latchkey.example/api/v1/documents
\`\`\`

\`\`\`js
// JavaScript, with @latchkey/client
import { createClient, listAll } from '@latchkey/client';

const latchkey = createClient({
  baseUrl: 'https://latchkey.example',
  credentials: { apiKey: process.env.LATCHKEY_API_KEY },
});
for await (const { name } of listAll(latchkey.documents.listDocuments, {})) console.log(name);
\`\`\`

## Requests

- JSON bodies have the content type \`application/json\`. Field names are \`snake_case\`; the
  \`lowerCamelCase\` names of ProtoJSON are accepted, too.
- The service refuses unknown fields and unknown query parameters, and fields that are set twice.
- Times are RFC 3339 in UTC. Requests may use another offset, but no leap second.
- A \`PATCH\` changes the fields in its body; \`null\` clears a field.
- A JSON body has at most 256 KiB and must not be compressed.

## Responses

- Responses contain fields with default values, unless their schema says otherwise. A field without
  a value, such as the \`expire_time\` of a link that never expires, is missing. New versions may
  add fields.
- Lists are pages: repeat the request with \`page_token\` set to \`next_page_token\` until that is
  empty.
- Every \`GET\` route also answers \`HEAD\`, with the same headers and without a body.
- Texts are compressed with Brotli or gzip if the client accepts it, except texts with secrets.

## Repeated calls

Operations with the parameter \`Idempotency-Key\` may act twice if they are repeated. Send a random
key with each new request, and the same key with each retry: for 24 hours, the service returns the
answer of the first successful call, with the header \`Idempotency-Replayed: true\`.

## Other origins

Browser code of the origins in \`LATCHKEY_CORS_ORIGINS\` may call the API with a bearer token,
without cookies. The service answers the preflight requests of these origins with 204.

## Errors

Every error has a stable \`code\` ([all codes](/errors)). Decide by the code, not by the text. Some
errors occur on every path: \`not_found\` (404) for an unknown path, \`method_not_allowed\` (405)
with \`Allow\` for an unknown method, and \`invalid_argument\` for malformed HTTP (400), a request
that did not arrive in time (408), an unknown \`Expect\` header (417) and headers that are too large
(431).
`;
