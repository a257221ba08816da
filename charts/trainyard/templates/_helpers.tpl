{{- /* Made by tools/manifests; do not edit. */ -}}
{{- /* Not empty: the release has the CRDs. Left out where the cluster has them exactly so and they belong to
another release or to nobody, as crds/ leaves them for a release of another name: Helm would refuse. */ -}}
{{- define "trainyard.crds" -}}
{{- if .Values.crds.enabled }}
{{- range $path, $_ := .Files.Glob "crds/*.json" }}
{{- $doc := $.Files.Get $path | fromJson }}
{{- $live := (lookup $doc.apiVersion $doc.kind "" $doc.metadata.name).metadata | default dict }}
{{- $notes := $live.annotations | default dict }}
{{- $mine := and (eq (get $notes "meta.helm.sh/release-name") $.Release.Name) (eq (get $notes "meta.helm.sh/release-namespace") $.Release.Namespace) }}
{{- if or $mine (ne (get $notes "trainer.kubeflow.org/crd-digest") (get $doc.metadata.annotations "trainer.kubeflow.org/crd-digest")) }}yes{{ end }}
{{- end }}
{{- end }}
{{- end }}
{{- /* REPOSITORY:TAG, or by digest: REPOSITORY@sha256:..., with the tag before it where one is set. */ -}}
{{- define "trainyard.image" -}}
{{- $tag := .Values.image.tag }}
{{- if and .Values.image.digest $tag }}{{ .Values.image.repository }}:{{ $tag }}@{{ .Values.image.digest }}
{{- else if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else if hasPrefix "sha" (regexFind "^[a-z0-9]+:" $tag) }}{{ .Values.image.repository }}@{{ $tag }}
{{- else }}{{ .Values.image.repository }}:{{ $tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}
{{- /* The tag as a label's value: no digest, 63 characters. */ -}}
{{- define "trainyard.version" -}}
{{- $tag := regexReplaceAll "@.*$" .Values.image.tag "" }}
{{- if contains ":" $tag }}{{- $tag = "" }}{{- end }}
{{- $tag | default .Chart.AppVersion | trunc 63 | trimAll "._-" }}
{{- end }}
{{- /* The ports that the configuration sets, as YAML; 0: off. */ -}}
{{- define "trainyard.ports" -}}
health: {{ (.Values.config.health).healthProbeBindAddress | default ":8081" | regexFind "[0-9]+$" | int }}
metrics: {{ (.Values.config.metrics).bindAddress | default ":8443" | regexFind "[0-9]+$" | int }}
webhook: {{ (.Values.config.webhook).port | default 9443 | int }}
status: {{ (.Values.config.statusServer).port | default 10443 | int }}
{{- end }}
{{- /* The configuration file; failureSummary.enabled is the same as config.failureSummary.enable, with the rights. */ -}}
{{- define "trainyard.config" -}}
{{- $config := deepCopy .Values.config }}
{{- if .Values.failureSummary.enabled }}
{{- $config = mergeOverwrite $config (dict "failureSummary" (dict "enable" true)) }}
{{- end }}
{{- toYaml $config }}
{{- end }}
{{- define "trainyard.containerPorts" -}}
{{- $ports := include "trainyard.ports" . | fromYaml }}
{{- range $name := list "health" "metrics" "webhook" "status-server" }}
{{- with get $ports (trimSuffix "-server" $name) }}
- name: {{ $name }}
  containerPort: {{ . }}
  protocol: TCP
{{- end }}
{{- end }}
{{- end }}
{{- define "trainyard.excludedPorts" -}}
{{- $ports := include "trainyard.ports" . | fromYaml }}
{{- without (list $ports.metrics $ports.webhook $ports.status) 0.0 | join "," }}
{{- end }}
