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
        return policy.isShared ? partitions.common : partitions.ofCredentials(in: request, configuration.allSecrets)
    }
}
