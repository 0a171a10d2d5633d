import { publicDocumentHandler } from '@orderly/kit/http';
import document from '../../docs/openapi.json' with { type: 'json' };

/** GET /openapi.json: the API's document, as it was when this function was deployed. */
export const handler = publicDocumentHandler(JSON.stringify(document), 'application/json');
