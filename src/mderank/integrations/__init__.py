"""mderank inside other tools: spaCy and scikit-learn pipelines, Ray and Spark jobs, clients of MCP."""
