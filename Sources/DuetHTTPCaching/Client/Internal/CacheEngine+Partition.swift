import DuetContext
import DuetHTTP
import HTTPTypes
import ServiceContextModule

extension CacheEngine {
    /// Whose responses the request may be answered with; nil when nothing says so.
    func partition(of request: HTTPRequest) -> String? {
        if let partition = configuration.partition { return partitions.named(partition(request)) }
        if let hiddenCredentials, policy.isShared || ServiceContext.current?.principal == nil {
            hiddenCredentials.tell()
            return nil
        }
        if policy.isShared { return partitions.common }
        // Credentials whose bytes were lost look like those of others.
        guard !request.headerFields.contains(where: { secrets.contains($0.name) && FieldSyntax.isLossy($0.bytes) })
        else {
            return nil
        }
        return partitions.ofCredentials(in: request, secrets)
    }
}
