{{- define "latchkey.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "latchkey.selector" -}}
app.kubernetes.io/name: latchkey
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "latchkey.labels" -}}
{{ include "latchkey.selector" . }}
{{ include "latchkey.commonLabels" . }}
{{- end -}}

{{/* Jobs have another name: a Service must not send requests to their pods. */}}
{{- define "latchkey.jobLabels" -}}
app.kubernetes.io/name: latchkey-job
app.kubernetes.io/instance: {{ .Release.Name }}
{{ include "latchkey.commonLabels" . }}
{{- end -}}

{{- define "latchkey.commonLabels" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* The fields that all pods have. */}}
{{- define "latchkey.pod" -}}
# Latchkey does not call the API of Kubernetes.
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
# Only bootstrap.env of the first start, and mails without a mail server.
volumes:
  - name: data
    emptyDir:
      {{- toYaml .Values.dataVolume | nindent 6 }}
  # Files with a watermark, at most 2 GiB for each worker.
  - name: tmp
    emptyDir: {}
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The fields that all containers have. */}}
{{- define "latchkey.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
env:
  - name: LATCHKEY_PUBLIC_URL
    value: {{ required "publicUrl is required: the origin that users open" .Values.publicUrl | quote }}
  - name: LATCHKEY_DRAIN_SECONDS
    value: {{ .Values.drainSeconds | quote }}
  # Every user may write to an emptyDir, and Latchkey refuses such a folder.
  - name: LATCHKEY_DATA_DIR
    value: /data/latchkey
  {{- with .Values.trustedProxies }}
  - name: LATCHKEY_TRUSTED_PROXIES
    value: {{ . | quote }}
  {{- end }}
  {{- if .Values.migrationJob.enabled }}
  - name: LATCHKEY_MIGRATE
    value: "off"
  {{- end }}
  {{- with .Values.backup }}
  {{- if .enabled }}
  - name: LATCHKEY_BACKUP_RECIPIENT
    value: {{ required "backup.recipient is required: a public key of age" .recipient | quote }}
  - name: LATCHKEY_BACKUP_TARGET
    value: {{ required "backup.target is required: a part of a bucket" .target | quote }}
  - name: LATCHKEY_BACKUP_KEEP
    value: {{ .keep | quote }}
  {{- end }}
  {{- end }}
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
envFrom:
  - secretRef:
      name: {{ .secret | default .Values.existingSecret | required "existingSecret is required: see values.yaml" }}
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
