# Two stages: bundle with everything, run with the production dependencies only, as an unprivileged user.
# By digest where deploy/pin-images.sh has written it to .env.
ARG NODE_IMAGE=node:22-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package needs its install script (binaries come as packages), and ours bundles sources that are not here yet.
RUN npm ci --ignore-scripts
COPY tsconfig*.json ./
COPY tools ./tools
COPY src ./src
COPY web ./web
# The commit that the gateway names in its health and log: .git is not copied.
ARG GATEWAY_COMMIT
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM ${NODE_IMAGE}
# Two arenas of the allocator: with one for each thread, memory that a thread frees is not used by others.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data MALLOC_ARENA_MAX=2
WORKDIR /app
RUN install -d -o node -g node -m 700 /data
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY contracts/README.md contracts/EntryPoint.LICENSE.txt ./contracts/
COPY contracts/artifacts ./contracts/artifacts
COPY package.json LICENSE schema.graphql openapi.json ./
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/health/ready').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
CMD ["node", "dist/process/main.js"]
