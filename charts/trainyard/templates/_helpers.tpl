{{- /* Made by tools/manifests; do not edit. */ -}}
{{- /* Not empty: the runtimes can be created now. */ -}}
{{- define "trainyard.runtimes" -}}
{{- $api := "trainer.kubeflow.org/v1alpha1/ClusterTrainingRuntime" }}
{{- if and .Values.runtimes.enabled (or .Release.IsUpgrade (.Capabilities.APIVersions.Has $api)) }}yes{{ end }}
{{- end }}
