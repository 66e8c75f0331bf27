import CoreMetrics
import Metrics

/// Records how long something took.
func record(_ duration: Duration, as label: String, _ dimensions: [(String, String)], _ factory: any MetricsFactory) {
    Timer(label: label, dimensions: dimensions, preferredDisplayUnit: .seconds, factory: factory).record(
        duration: duration
    )
}
