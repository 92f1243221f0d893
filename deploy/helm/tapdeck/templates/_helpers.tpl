{{- define "tapdeck.name" -}}
{{- default .Release.Name .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- end }}

{{- define "tapdeck.labels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "tapdeck.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tapdeck.image" -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end }}

{{- define "tapdeck.hubAccount" -}}
{{ default (printf "%s-hub" (include "tapdeck.name" .)) .Values.serviceAccounts.hub.name }}
{{- end }}

{{- define "tapdeck.workerAccount" -}}
{{ default (printf "%s-worker" (include "tapdeck.name" .)) .Values.serviceAccounts.worker.name }}
{{- end }}

{{- define "tapdeck.hubPort" -}}
{{ (.Values.hub).port | default 8898 }}
{{- end }}

{{- define "tapdeck.linkPort" -}}
{{ (.Values.hub.link).port | default 8897 }}
{{- end }}

{{- define "tapdeck.probePort" -}}
{{ .Values.tap.probePort | default 8896 }}
{{- end }}

{{/* none, token or oidc: auth.mode, else as tap.auth says. */}}
{{- define "tapdeck.authMode" -}}
{{- $auth := .Values.tap.auth | default dict -}}
{{- $issuer := ($auth.oidc).issuer | default "" -}}
{{- $mode := .Values.auth.mode -}}
{{- if and $mode (hasKey $auth "enabled") (ne (toString $auth.enabled) (toString (ne $mode "none"))) -}}
{{- fail (printf "auth.mode is %s, and tap.auth.enabled is %v: set only one of them" $mode $auth.enabled) -}}
{{- end -}}
{{- if and (eq $mode "oidc") (not $issuer) -}}
{{- fail "auth.mode is oidc: set tap.auth.oidc.issuer, and clientId for browsers or audience for programs" -}}
{{- end -}}
{{- if and $issuer (has $mode (list "none" "token")) -}}
{{- fail (printf "auth.mode is %s, and tap.auth.oidc.issuer is set: set only one of them" $mode) -}}
{{- end -}}
{{- if $mode -}}{{ $mode }}{{- else if not $auth.enabled -}}none{{- else -}}{{ ternary "oidc" "token" (ne $issuer "") }}{{- end -}}
{{- end }}

{{/* "true" where the port of the page and the API has TLS. */}}
{{- define "tapdeck.hasTls" -}}
{{- if ((.Values.tap).tls).cert -}}true{{- end -}}
{{- end }}

{{/* "true" where the hub refuses requests without TLS of all but the loopback and trusted proxies. */}}
{{- define "tapdeck.refusesPlain" -}}
{{- if and (ne (include "tapdeck.authMode" .) "none") (not (include "tapdeck.hasTls" .)) (ne (toString .Values.hub.plainHttp) "anywhere") -}}true{{- end -}}
{{- end }}

{{- define "tapdeck.pullSecrets" -}}
{{- with concat .Values.imagePullSecrets .Values.image.pullSecrets -}}
{{- toYaml . -}}
{{- end }}
{{- end }}

{{/* The audience that worker tokens are made for, and service-account tokens of callers. */}}
{{- define "tapdeck.audience" -}}
{{ (((.Values.tap).auth).kubernetes).audience | default "tapdeck" }}
{{- end }}

{{/* "true" where the hub watches the cluster; empty where values turn that off. */}}
{{- define "tapdeck.watches" -}}
{{- if ne (toString (((.Values.tap).kubernetes).enabled)) "false" -}}true{{- end -}}
{{- end }}

{{/* "true" where the hub makes Jobs for dissections. */}}
{{- define "tapdeck.makesJobs" -}}
{{- if eq (toString (((.Values.tap).delayedDissection).runner)) "kubernetes" -}}true{{- end -}}
{{- end }}

{{/* Keys of a bucket whose storage knows no roles of service accounts. */}}
{{- define "tapdeck.bucketCredentials" -}}
{{- with .Values.bucketCredentials }}
{{- if .secretName -}}
- { name: AWS_ACCESS_KEY_ID, valueFrom: { secretKeyRef: { name: {{ .secretName | quote }}, key: {{ .accessKeyId | default "AWS_ACCESS_KEY_ID" | quote }} } } }
- { name: AWS_SECRET_ACCESS_KEY, valueFrom: { secretKeyRef: { name: {{ .secretName | quote }}, key: {{ .secretAccessKey | default "AWS_SECRET_ACCESS_KEY" | quote }} } } }
{{- end }}
{{- end }}
{{- end }}

{{/* The account of the hub has the role for the bucket; a Job gets no token for the API server. */}}
{{- define "tapdeck.dissectJob" -}}
apiVersion: batch/v1
kind: Job
metadata:
  # The hub adds a checksum of the dissection.
  name: {{ include "tapdeck.name" . | trunc 38 | trimSuffix "-" }}-dissect
  labels:
    {{- include "tapdeck.labels" . | nindent 4 }}
    app.kubernetes.io/component: dissect-job
spec:
  backoffLimit: 2
  ttlSecondsAfterFinished: 3600
  # A drained node is no attempt that failed.
  podFailurePolicy:
    rules:
      - { action: Ignore, onPodConditions: [{ type: DisruptionTarget }] }
  template:
    metadata:
      labels:
        {{- include "tapdeck.labels" . | nindent 8 }}
        app.kubernetes.io/component: dissect-job
    spec:
      restartPolicy: Never
      serviceAccountName: {{ include "tapdeck.hubAccount" . }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      {{- with include "tapdeck.pullSecrets" . }}
      imagePullSecrets: {{- . | nindent 8 }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        fsGroup: 65532
        seccompProfile: { type: RuntimeDefault }
      containers:
        - name: dissect-job
          image: {{ include "tapdeck.image" . }}
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          # The hub reports the last line as the reason.
          terminationMessagePolicy: FallbackToLogsOnError
          env:
            - { name: TAPDECK_CONFIG, value: /etc/tapdeck/values.yaml }
            {{- with include "tapdeck.bucketCredentials" . }}{{ . | nindent 12 }}{{ end }}
          resources: {{- toYaml .Values.resources.dissectJob | nindent 12 }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          volumeMounts:
            - { name: config, mountPath: /etc/tapdeck, readOnly: true }
            - { name: tmp, mountPath: /tmp }
      volumes:
        - { name: config, configMap: { name: {{ include "tapdeck.name" . }} } }
        - { name: tmp, emptyDir: {} }
      {{- with .Values.nodeSelector.dissectJob }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.tolerations.dissectJob }}
      tolerations: {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end }}

{{/* Tapdeck's configuration as YAML: the values as they are, over what this chart decides. */}}
{{- define "tapdeck.wholeConfig" -}}
{{- $name := include "tapdeck.name" . -}}
{{- $given := dict "hub" .Values.hub "tap" .Values.tap | deepCopy -}}
{{- if hasKey (.Values.hub.link | default dict) "port" -}}
{{- if not .Values.hub.link.port -}}{{- fail "hub.link.port: the workers of this chart connect to this port; it cannot be 0" -}}{{- end -}}
{{- end -}}
{{- $service := printf "%s.%s.svc" $name .Release.Namespace -}}
{{- $link := dict
  "port" (include "tapdeck.linkPort" . | int)
  "names" (list $name (printf "%s.%s" $name .Release.Namespace) $service (printf "%s.cluster.local" $service)) -}}
{{- if .Values.link.existingSecret -}}
{{- $_ := set $link "cert" "/etc/tapdeck-link/tls.crt" -}}
{{- $_ := set $link "key" "/etc/tapdeck-link/tls.key" -}}
{{- else -}}
{{- $_ := set $link "secretName" (printf "%s-link-authority" $name) -}}
{{- $_ := set $link "configMapName" (printf "%s-link" $name) -}}
{{- end -}}
{{- $publicUrl := ternary (printf "https://%s" .Values.ingress.host) "" (and .Values.ingress.enabled (gt (len .Values.ingress.tls) 0)) -}}
{{- $own := dict
  "data" "/data"
  "logLevel" .Values.logLevel
  "hub" (dict "host" "0.0.0.0" "link" $link "publicUrl" $publicUrl)
  "tap" (dict
    "probePort" (include "tapdeck.probePort" . | int)
    "tls" (dict "ca" "/etc/tapdeck-trust/ca.crt")
    "kubernetes" (dict "enabled" true "workerNodes" (default dict (default dict .Values.nodeSelector).worker)
      "workerDaemonSet" (printf "%s/%s-worker" .Release.Namespace $name))
    "auth" (dict
      "enabled" (ne (include "tapdeck.authMode" .) "none")
      "kubernetes" (dict
        "enabled" true
        "workers" (printf "%s:%s" .Release.Namespace (include "tapdeck.workerAccount" .))))) -}}
{{- toYaml (mergeOverwrite $own $given) -}}
{{- end }}

{{/* What only the hub may read, as YAML; empty: nothing. It is in a Secret. */}}
{{- define "tapdeck.secretConfig" -}}
{{- $otlp := pick (((.Values.tap).telemetry).otlp | default dict) "endpoint" "headers" -}}
{{- $oidc := pick (((.Values.tap).auth).oidc | default dict) "clientSecret" -}}
{{- $tap := dict -}}
{{- if $otlp -}}{{- $_ := set $tap "telemetry" (dict "otlp" $otlp) -}}{{- end -}}
{{- if $oidc -}}{{- $_ := set $tap "auth" (dict "oidc" $oidc) -}}{{- end -}}
{{- if $tap -}}{{- toYaml (dict "tap" $tap) -}}{{- end -}}
{{- end }}

{{/* What hub, workers and Jobs read, as YAML: the configuration without what is in the Secret. */}}
{{- define "tapdeck.config" -}}
{{- $config := include "tapdeck.wholeConfig" . | fromYaml -}}
{{- with $config.tap.telemetry -}}
{{- if .otlp -}}{{- $_ := set . "otlp" (omit .otlp "endpoint" "headers") -}}{{- end -}}
{{- end -}}
{{- with $config.tap.auth -}}
{{- if .oidc -}}{{- $_ := set . "oidc" (omit .oidc "clientSecret") -}}{{- end -}}
{{- end -}}
{{- $text := toYaml $config -}}
{{- with regexFind "://[^/?#[:space:]]+@" $text -}}
{{- fail "a value has an address with credentials in it, such as https://user:password@host, which would be in a ConfigMap. Give them by existingSecret, clickhousePassword or bucketCredentials." -}}
{{- end -}}
{{- $text -}}
{{- end }}

{{/* The values of the keys that a part reads only when it starts: the pods of the part are replaced when they change. */}}
{{- define "tapdeck.checksum" -}}
{{- $config := include "tapdeck.wholeConfig" .root | fromYaml -}}
{{- $values := dict -}}
{{- range (index (.root.Files.Get "restart-keys.json" | fromJson) .part) -}}
  {{- $key := . -}}
  {{- $found := $config -}}
  {{- range splitList "." $key -}}
    {{- $found = ternary (get (ternary $found dict (kindIs "map" $found)) .) "" (kindIs "map" $found) -}}
  {{- end -}}
  {{- $_ := set $values $key $found -}}
{{- end -}}
{{ toJson $values | sha256sum }}
{{- end }}

{{/* claim: an existing claim, a new one, or "" for an emptyDir. */}}
{{- define "tapdeck.claim" -}}
{{- $name := include "tapdeck.name" . -}}
{{- if .Values.persistence.existingClaim -}}
{{ .Values.persistence.existingClaim }}
{{- else if eq (toString .Values.persistence.enabled) "true" -}}
{{ $name }}
{{- else if eq (toString .Values.persistence.enabled) "auto" -}}
  {{- $found := dict -}}
  {{- range (lookup "storage.k8s.io/v1" "StorageClass" "" "").items -}}
    {{- if eq (index (default dict .metadata.annotations) "storageclass.kubernetes.io/is-default-class" | default "") "true" -}}
      {{- $_ := set $found "class" true -}}
    {{- end -}}
  {{- end -}}
  {{- if or $found.class .Values.persistence.storageClass (lookup "v1" "PersistentVolumeClaim" .Release.Namespace $name) -}}
{{ $name }}
  {{- end -}}
{{- end -}}
{{- end }}

{{/*
SYS_ADMIN only where it is needed: to enter the network namespaces of pods. Names without CAP_, as Kubernetes writes them: its API server
refuses CAP_SYS_ADMIN beside `allowPrivilegeEscalation: false`, and accepts SYS_ADMIN.
*/}}
{{- define "tapdeck.capabilities" -}}
{{- $capabilities := list -}}
{{- range .Values.capabilities -}}
  {{- $capabilities = append $capabilities (trimPrefix "CAP_" .) -}}
{{- end -}}
{{- $capture := (default dict .Values.tap).capture | default dict -}}
{{- $keys := ((default dict .Values.tap).tls | default dict).capture | default dict -}}
{{- $probes := and $keys.enabled (or $keys.namespaces $keys.processes) -}}
{{- if or $capture.podLoopback $capture.podInterfaces $probes -}}
  {{- $capabilities = append $capabilities "SYS_ADMIN" -}}
{{- end -}}
{{- toJson ($capabilities | uniq) -}}
{{- end }}
