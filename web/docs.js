// The REST documentation: Swagger UI over the gateway's own OpenAPI document. Tokens are kept in this tab only.
window.SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  displayRequestDuration: true,
  filter: true,
  // It would send the document to another host.
  validatorUrl: null,
  persistAuthorization: false,
});
