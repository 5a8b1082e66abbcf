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

// Swagger UI has dark colours, by a class.
const dark = matchMedia('(prefers-color-scheme: dark)');
const applyTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', applyTheme);
applyTheme();

// Its list of servers has no name.
new MutationObserver(() => document.getElementById('servers')?.setAttribute('aria-label', 'Server')).observe(
  document.getElementById('swagger-ui'),
  { childList: true, subtree: true },
);
