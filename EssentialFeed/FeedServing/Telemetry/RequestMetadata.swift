package import Logging
package import ServiceContextModule

extension Logger.MetadataProvider {
    /// Identifies the request and the span for which a line is logged: `hb.request.id`, `trace_id` and `span_id`.
    ///
    /// Lines outside of a request have none of them.
    package static let request = Logger.MetadataProvider {
        guard let context = ServiceContext.current else { return [:] }
        var metadata: Logger.Metadata = [:]
        metadata["hb.request.id"] = context.requestID
        metadata["trace_id"] = context.traceParent.map { "\($0.traceID)" }
        metadata["span_id"] = context.traceParent.map { "\($0.spanID)" }
        return metadata
    }
}

extension ServiceContext {
    package var requestID: Logger.MetadataValue? {
        get { self[RequestIDKey.self] }
        set { self[RequestIDKey.self] = newValue }
    }
}

private enum RequestIDKey: ServiceContextKey {
    typealias Value = Logger.MetadataValue
}
