package import Logging
import ServiceContextModule

extension Logger.MetadataProvider {
    /// Identifies the request and the span for which a line is logged: `hb.request.id`, `trace_id` and `span_id`.
    ///
    /// Lines outside of a request have none of them.
    package static let request = Logger.MetadataProvider {
        guard let context = ServiceContext.current else { return [:] }
        var metadata: Logger.Metadata = [:]
        metadata["hb.request.id"] = context.ids.request
        let place = context.traceParent
        metadata["trace_id"] = place.map { "\($0.traceID)" }
        metadata["span_id"] = place.map { "\($0.spanID)" }
        return metadata
    }
}
