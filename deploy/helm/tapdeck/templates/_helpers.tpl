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
      {{- with .Values.image.pullSecrets }}
      imagePullSecrets: {{- toYaml . | nindent 8 }}
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

{{/* Tapdeck's configuration: the values as they are, over what this chart decides. */}}
{{- define "tapdeck.config" -}}
{{- $own := dict
  "data" "/data"
  "logLevel" .Values.logLevel
  "hub" (dict "host" "0.0.0.0")
  "tap" (dict
    "kubernetes" (dict "enabled" true "workerNodes" (default dict (default dict .Values.nodeSelector).worker))
    "auth" (dict "kubernetes" (dict
      "enabled" true
      "workers" (printf "%s:%s" .Release.Namespace (include "tapdeck.workerAccount" .))))) -}}
{{- $given := dict "hub" (default dict .Values.hub) "tap" (default dict .Values.tap) -}}
{{- toYaml (mergeOverwrite $own (deepCopy $given)) -}}
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
{{- if or $capture.podLoopback $probes -}}
  {{- $capabilities = append $capabilities "SYS_ADMIN" -}}
{{- end -}}
{{- toJson ($capabilities | uniq) -}}
{{- end }}
